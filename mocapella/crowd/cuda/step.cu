// One step of a crowd on a GPU: what native/src/crowd.cpp does lane by lane, a thread a character.
//
// Three kernels: `place` moves blending points and counts the characters of each triangle, `sort` puts characters of one
// triangle next to each other, `play` gives each warp 32 of them. A warp mixes harmonics on the tensor cores (every
// number as two halves, three products, so errors are those of single precision), then each thread walks along one
// skeleton. Loops over legs and joints are not unrolled: the code has to fit into the instruction cache. Sizes and
// settings are written above this text, and BODY becomes the tables of the skeleton.
#define D __device__ __forceinline__
#define TAU 6.283185307179586f
#define PER_TAU 0.15915494309189535f
#define FULL (TAU - 1e-4f)
#define FIRM .999f
#define ALL 0xffffffffu
enum { FREE = 0, PLACED = 1, LEAVING = 2, COMING = 0, DOWN = 1, ROLLING = 2 };
enum { STANDING = 8, BEGUN = 12, GIVE = 16, PLANTED = 24 };

struct V { float x, y, z; };
struct Q { float w, x, y, z; };
struct M { float m[9]; };
struct Leg { V heel, toe, tip, hinge, across; float heel_height, toe_height, tip_height, tip_length, flat_length, ankle_share, length; };
enum { FROM_KEPT = 1, IS_GIVEN = 2, IS_KEPT = 4, IS_TOE = 8, IS_RIGHT = 16, IS_NOISY = 32, IS_NEXT = 64 };  // bits of a joint
BODY
D V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
D V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
D V operator*(float s, V a) { return {s * a.x, s * a.y, s * a.z}; }
D float dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
D V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
D float len(V a) { return sqrtf(dot(a, a)); }
D V unit(V a) { return (1.f / fmaxf(len(a), 1e-12f)) * a; }
D V pick(bool c, V a, V b) { return {c ? a.x : b.x, c ? a.y : b.y, c ? a.z : b.z}; }
D V operator*(const M& A, V a) {
  return {A.m[0] * a.x + A.m[1] * a.y + A.m[2] * a.z, A.m[3] * a.x + A.m[4] * a.y + A.m[5] * a.z, A.m[6] * a.x + A.m[7] * a.y + A.m[8] * a.z};
}
D Q operator*(Q a, Q b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
D float twice_per(Q q) { return __fdividef(2.f, fmaf(q.w, q.w, fmaf(q.x, q.x, fmaf(q.y, q.y, q.z * q.z)))); }
D M matrix(Q q) {  // of a quaternion of any length
  const float s = twice_per(q), xs = q.x * s, ys = q.y * s, zs = q.z * s, xy = q.x * ys, xz = q.x * zs, yz = q.y * zs;
  return {{fmaf(-q.y, ys, fmaf(-q.z, zs, 1.f)), fmaf(-q.w, zs, xy), fmaf(q.w, ys, xz), fmaf(q.w, zs, xy),
           fmaf(-q.x, xs, fmaf(-q.z, zs, 1.f)), fmaf(-q.w, xs, yz), fmaf(-q.w, ys, xz), fmaf(q.w, xs, yz),
           fmaf(-q.x, xs, fmaf(-q.y, ys, 1.f))}};
}
D V turned(Q q, V p) {
  const V u{q.x, q.y, q.z}, t = cross(u, p);
  return p + twice_per(q) * (q.w * t + cross(u, t));
}
D Q between(V a, V b) {  // the smallest turn of one direction into another
  const V c = cross(a, b);
  return {fmaxf(sqrtf(dot(a, a) * dot(b, b)) + dot(a, b), 1e-12f), c.x, c.y, c.z};
}
D Q about(V k, float c, float s) { return {fmaxf(1.f + c, 1e-6f), s * k.x, s * k.y, s * k.z}; }
D float smooth(float x) { return x * x * (3.f - 2.f * x); }
D float eased(float x) { return smooth(__saturatef(x)); }
D float powr(float x, float y) { return x > 1e-30f ? exp2f(y * __log2f(x)) : 0.f; }
D void sincos_(float x, float& s, float& c) {
  const float k = rintf(x * PER_TAU);
  __sincosf(fmaf(k, 1.7484556e-7f, fmaf(k, -6.2831855f, x)), &s, &c);
}
D unsigned halves(float x, float y) { unsigned r; asm("cvt.rn.f16x2.f32 %0, %1, %2;" : "=r"(r) : "f"(y), "f"(x)); return r; }
D void floats(unsigned p, float& a, float& b) {
  asm("{.reg .b16 l,h; mov.b32 {l,h}, %2; cvt.f32.f16 %0, l; cvt.f32.f16 %1, h;}" : "=f"(a), "=f"(b) : "r"(p));
}
D void split(float x, float y, unsigned& high, unsigned& low) {
  float a, b;
  high = halves(x, y);
  floats(high, a, b);
  low = halves(x - a, y - b);
}
D void mma(float* c, const uint4& a, unsigned b0, unsigned b1) {
  asm("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3},{%4,%5,%6,%7},{%8,%9},{%0,%1,%2,%3};"
      : "+f"(c[0]), "+f"(c[1]), "+f"(c[2]), "+f"(c[3]) : "r"(a.x), "r"(a.y), "r"(a.z), "r"(a.w), "r"(b0), "r"(b1));
}

// ---------------------------------------------------------------- blending points
struct Moved { float x, y, vx, vy; };
D Moved advance(float4 at, float gx, float gy, int marks, const float* __restrict__ map, const float* __restrict__ seconds, float dt, float stiffness, float decay, float furthest) {
  const float px = at.x, py = at.y;
  float wx = gx, wy = gy, vx = 0.f, vy = 0.f;
  if (stiffness != 0.f) {
    const float ox = px - gx, oy = py - gy, qx = at.z + stiffness * ox, qy = at.w + stiffness * oy;
    wx = gx + (ox + qx * dt) * decay;
    wy = gy + (oy + qy * dt) * decay;
    vx = (at.z - stiffness * qx * dt) * decay;
    vy = (at.w - stiffness * qy * dt) * decay;
  }
  const float share = fminf(1.f, furthest / fmaxf(sqrtf((wx - px) * (wx - px) + (wy - py) * (wy - py)), 1e-12f));
  if (share < 1.f) { wx = px + share * (wx - px); wy = py + share * (wy - py); }
  const float slow = fminf(1.f, furthest / fmaxf(sqrtf(vx * vx + vy * vy) * dt, 1e-12f));
  vx *= slow; vy *= slow;
  const float left = (wx - gx) * (wx - gx) + (wy - gy) * (wy - gy);
  if (left < 1e-12f && vx * vx + vy * vy < 1e-6f) { wx = gx; wy = gy; vx = vy = 0.f; }
  const float give = ((marks >> GIVE) & 255) * (1.f / 255.f), ax = give * (wx - px), ay = give * (wy - py);
  float c[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) c[k] = fabsf(map[3 * k + 1] * ax + map[3 * k + 2] * ay);
  const float needed = c[0] >= c[1] && c[0] >= c[2] ? c[1] * seconds[0] + c[2] * seconds[2] : c[1] >= c[2] ? c[0] * seconds[0] + c[2] * seconds[1] : c[0] * seconds[2] + c[1] * seconds[1];
  const float part = fminf(1.f, fmaxf(dt, 1e-9f) / fmaxf(needed, 1e-12f));
  if (part >= 1.f && give >= 1.f && wx == gx && wy == gy) return {gx, gy, 0.f, 0.f};
  return {px + part * ax, py + part * ay, give * vx, give * vy};
}
D void weights(const float* __restrict__ map, float x, float y, float* w) {
#pragma unroll
  for (int k = 0; k < 3; ++k) w[k] = map[3 * k] + map[3 * k + 1] * x + map[3 * k + 2] * y;
}

#define STEP float dt, float stiffness, float decay, float furthest
extern "C" __global__ void __launch_bounds__(512) place(const float4* __restrict__ records, const float2* __restrict__ points, float2* __restrict__ goals, const int* __restrict__ rows, int n, STEP, const float* __restrict__ maps, const int* __restrict__ neighbours, const float* __restrict__ seconds, int* __restrict__ triangle, int* __restrict__ rank, int* counts) {
  extern __shared__ int seen[];
  for (int t = threadIdx.x; t < TRIANGLES; t += blockDim.x) seen[t] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = 0, own = 0;
  if (i < n) {
    const size_t c = rows ? rows[i] : i;
    const float4 at = records[6 * c], last = records[6 * c + 5];
    float2 goal = points[c];
    goal = make_float2((goal.x - CENTRE_X) * PER_SIZE, (goal.y - CENTRE_Y) * PER_SIZE);
    if (isfinite(goal.x) && isfinite(goal.y)) {
      goal = make_float2(fminf(fmaxf(goal.x, LEAST_X), MOST_X), fminf(fmaxf(goal.y, LEAST_Y), MOST_Y));
      goals[c] = goal;
    } else goal = goals[c];  // it goes on as it was
    t = __float_as_int(last.w);
    if (t < 0 || t >= TRIANGLES) t = 0;
    const Moved m = advance(at, goal.x, goal.y, __float_as_int(last.x), maps + 9 * t, seconds + 3 * t, dt, stiffness, decay, furthest);
    float w[3];
    weights(maps + 9 * t, m.x, m.y, w);
    for (int walk = 0; walk < 8; ++walk) {
      const int* next = neighbours + 3 * t;
      int corner = 0;
      float least = 0.f;
#pragma unroll
      for (int k = 0; k < 3; ++k)
        if (next[k] >= 0 && w[k] < least) { least = w[k]; corner = k; }
      if (!(least < -1e-6f)) break;
      t = next[corner];
      weights(maps + 9 * t, m.x, m.y, w);
    }
    own = atomicAdd(seen + t, 1);
  }
  __syncthreads();
  int* begin = seen + TRIANGLES;
  for (int k = threadIdx.x; k < TRIANGLES; k += blockDim.x) begin[k] = seen[k] ? atomicAdd(counts + k, seen[k]) : 0;
  __syncthreads();
  if (i < n) { triangle[i] = t; rank[i] = begin[t] + own; }
}

// runs: of every triangle the first group of 32 and the number of characters; behind the last one all groups
extern "C" __global__ void __launch_bounds__(1024) sort(const int* __restrict__ rows, int n, const int* __restrict__ triangle, const int* __restrict__ rank, const int* __restrict__ counts, int2* __restrict__ runs, int* __restrict__ order) {
  extern __shared__ int first[];
  const int lane = threadIdx.x & 31;
  if (threadIdx.x < 32) {
    int before = 0;
    for (int k = lane; k - lane < TRIANGLES; k += 32) {
      const int own = k < TRIANGLES ? (counts[k] + 31) / 32 : 0;
      int sum = own;
#pragma unroll
      for (int d = 1; d < 32; d *= 2) { const int other = __shfl_up_sync(ALL, sum, d); if (lane >= d) sum += other; }
      if (k < TRIANGLES) {
        first[k] = before + sum - own;
        if (blockIdx.x == 0) runs[k] = make_int2(first[k], counts[k]);
      }
      before += __shfl_sync(ALL, sum, 31);
    }
    if (blockIdx.x == 0 && lane == 0) runs[TRIANGLES] = make_int2(before, 0);
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) order[32 * first[triangle[i]] + rank[i]] = rows ? rows[i] : i;
}

// characters that are far from their origin get a nearer one
extern "C" __global__ void __launch_bounds__(512) recentre(float4* __restrict__ records, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4* record = records + 6 * (size_t)i;
  float4 r1 = record[1];
  if (!(fmaxf(fabsf(r1.y), fabsf(r1.z)) > FAR_AWAY)) return;
  float4 r5 = record[5];
  const int word = __float_as_int(r5.z), marks = __float_as_int(r5.x);
  const float sx = rintf(r1.y / GRID), sz = rintf(r1.z / GRID);
  const int x = (int)fminf(fmaxf((float)((word << 16) >> 16) + sx, -32768.f), 32767.f), z = (int)fminf(fmaxf((float)(word >> 16) + sz, -32768.f), 32767.f);
  r5.z = __int_as_float((x & 0xffff) | (z << 16));
  r1.y -= sx * GRID;
  r1.z -= sz * GRID;
  record[1] = r1;
  record[5] = r5;
#pragma unroll
  for (int point = 0; point < 4; ++point)  // places move along; what is left of a displacement does not
    if (((marks >> (2 * point)) & 3) == PLACED) {
      float* at = (float*)(record + 3) + 2 * point;
      at[0] -= sx * GRID;
      at[1] -= sz * GRID;
    }
}

// ---------------------------------------------------------------- harmonics
// Slots of a thread t of four: 3 weights of harmonic 4 a + t + 1, then what is left of harmonics and the means.
#define WHOLE (HARMONICS / 4)
#define REST (HARMONICS % 4)
#define SLOTS (3 * WHOLE + (3 * REST + 2 + 3) / 4)
#define TILES ((SLOTS + 1) / 2)
#define AT_ONCE (TILES <= 4 ? 4 : TILES <= 8 ? 2 : 1)
struct Basis { unsigned high[AT_ONCE][2 * TILES], low[AT_ONCE][2 * TILES]; };

D void wave(float turns, int k, float& c, float& s) {
  const float a = turns * k;
  __sincosf(TAU * (a - rintf(a)), &s, &c);
}
// the harmonic and the corner of a slot of the rest; harmonic 0: the means of corners 0 and 1, or of 2 alone; -1: nothing
D int2 rest_of(int slot, int t) {
  const int i = 4 * (slot - 3 * WHOLE) + t;
  return i < 3 * REST ? make_int2(4 * WHOLE + 1 + i / 3, i % 3) : i < 3 * REST + 2 ? make_int2(0, i - 3 * REST) : make_int2(-1, 0);
}
D void make_basis(Basis& B, int first, float w0, float w1, float w2, float turns, int harmonics, int lane) {
  const int t = lane & 3;
#pragma unroll
  for (int n = 0; n < AT_ONCE; ++n) {
    const int from = 8 * (first + n) + (lane >> 2);
    const float a0 = __shfl_sync(ALL, w0, from), a1 = __shfl_sync(ALL, w1, from), a2 = __shfl_sync(ALL, w2, from), u = __shfl_sync(ALL, turns, from);
#pragma unroll
    for (int a = 0; a < WHOLE; ++a) {
      const int k = 4 * a + t + 1;
      float c, s;
      wave(u, k, c, s);
      if (k > harmonics) c = s = 0.f;
      split(a0 * c, a0 * s, B.high[n][3 * a], B.low[n][3 * a]);
      split(a1 * c, a1 * s, B.high[n][3 * a + 1], B.low[n][3 * a + 1]);
      split(a2 * c, a2 * s, B.high[n][3 * a + 2], B.low[n][3 * a + 2]);
    }
#pragma unroll
    for (int slot = 3 * WHOLE; slot < 2 * TILES; ++slot) {
      const int2 is = rest_of(slot, t);
      float c = 0.f, s = 0.f;
      if (is.x > 0 && is.x <= harmonics) {
        const float own = is.y == 0 ? a0 : is.y == 1 ? a1 : a2;
        wave(u, is.x, c, s);
        c *= own;
        s *= own;
      } else if (is.x == 0) {
        c = is.y ? a2 : a0;
        s = is.y ? 0.f : a1;
      }
      split(c, s, B.high[n][slot], B.low[n][slot]);
    }
  }
}
#if UPPER
// harmonics from FIRST on by their gains, which lie in shared memory: [UPPER][32]
D void amplify(Basis& B, int first, const float* gains, int lane) {
  const int t = lane & 3;
#pragma unroll
  for (int n = 0; n < AT_ONCE; ++n) {
    const int from = 8 * (first + n) + (lane >> 2);
#pragma unroll
    for (int slot = 0; slot < SLOTS; ++slot) {
      const int k = slot < 3 * WHOLE ? 4 * (slot / 3) + t + 1 : rest_of(slot, t).x;
      if (slot < 3 * WHOLE && 4 * (slot / 3) + 4 < FIRST) continue;
      const float gain = k >= FIRST ? gains[(k - FIRST) * 32 + from] : 1.f;
      float a, b, c, d;
      floats(B.high[n][slot], a, b);
      floats(B.low[n][slot], c, d);
      split(gain * (a + c), gain * (b + d), B.high[n][slot], B.low[n][slot]);
    }
  }
}
#endif
// 16 numbers of 8 characters each: products of a tile of coefficients (highs and what they leave) with the basis
D void mix(const uint4* A, const Basis& B, float (*sum)[4], int lane) {
#pragma unroll
  for (int kt = 0; kt < TILES; ++kt) {
    const uint4 high = A[64 * kt + lane], low = A[64 * kt + 32 + lane];
#pragma unroll
    for (int n = 0; n < AT_ONCE; ++n) mma(sum[n], high, B.high[n][2 * kt], B.high[n][2 * kt + 1]);
#pragma unroll
    for (int n = 0; n < AT_ONCE; ++n) mma(sum[n], low, B.high[n][2 * kt], B.high[n][2 * kt + 1]);
#pragma unroll
    for (int n = 0; n < AT_ONCE; ++n) mma(sum[n], high, B.low[n][2 * kt], B.low[n][2 * kt + 1]);
  }
}
// where the halves of a quaternion of a character lie: no two threads of a half warp in one bank
D int swapped(int quad, int character) { return character ^ ((quad & 1) | ((quad & 2) << 2)); }
// eight quaternions of 8 AT_ONCE characters; only those from a lowest to a highest one are written
D void mix_eight(const uint4* A, const Basis& B, float2* stage, int first, int lowest, int highest, int lane) {
  const int g = lane >> 2, t = lane & 3;
#pragma unroll 1
  for (int pair = 0; pair < 2; ++pair, A += 64 * TILES) {
    float sum[AT_ONCE][4] = {};
    mix(A, B, sum, lane);
    float2* out = stage + 64 * g + 32 * pair;
    if (g >= lowest && g < highest) {
#pragma unroll
      for (int n = 0; n < AT_ONCE; ++n) {
        const int x = swapped(g, 8 * (first + n) + 2 * t);
        out[x] = make_float2(sum[n][0], sum[n][2]);
        out[x ^ 1] = make_float2(sum[n][1], sum[n][3]);
      }
    }
  }
}
#if RESIDENT < EIGHTS
// a basis put aside in shared memory, for quaternions that are mixed when their joints come
D void put_aside(const Basis& B, unsigned* to, int lane) {
#pragma unroll
  for (int n = 0; n < AT_ONCE; ++n)
#pragma unroll
    for (int i = 0; i < 2 * TILES; ++i) {
      to[64 * (2 * TILES * n + i) + lane] = B.high[n][i];
      to[64 * (2 * TILES * n + i) + 32 + lane] = B.low[n][i];
    }
}
D void take_back(Basis& B, const unsigned* from, int lane) {
#pragma unroll
  for (int n = 0; n < AT_ONCE; ++n)
#pragma unroll
    for (int i = 0; i < 2 * TILES; ++i) {
      B.high[n][i] = from[64 * (2 * TILES * n + i) + lane];
      B.low[n][i] = from[64 * (2 * TILES * n + i) + 32 + lane];
    }
}
#endif
D Q quad_of(const float2* stage, int quad, int lane) {
  const float2 a = stage[64 * quad + swapped(quad, lane)], b = stage[64 * quad + 32 + swapped(quad, lane)];
  return {a.x, a.y, b.x, b.y};
}
// the mean of a blend, for joints that are not drawn at a level of detail
D Q mean_of(const float4* mean, float w0, float w1, float w2) {
  const float4 a = mean[0], b = mean[1], c = mean[2];
  return {w0 * a.x + w1 * b.x + w2 * c.x, w0 * a.y + w1 * b.y + w2 * c.y, w0 * a.z + w1 * b.z + w2 * c.z, w0 * a.w + w1 * b.w + w2 * c.w};
}
D void put_quad(float2* stage, int quad, int lane, Q q) {
  stage[64 * quad + swapped(quad, lane)] = make_float2(q.w, q.x);
  stage[64 * quad + 32 + swapped(quad, lane)] = make_float2(q.y, q.z);
}

// ---------------------------------------------------------------- gaits
struct Cell { const float4 *g0, *g1, *g2; float s0, s1, s2; };
D float4 numbers(const Cell& c, int k) {
  const float4 a = c.g0[k], b = c.g1[k], d = c.g2[k];
  return make_float4(c.s0 * a.x + c.s1 * b.x + c.s2 * d.x, c.s0 * a.y + c.s1 * b.y + c.s2 * d.y, c.s0 * a.z + c.s1 * b.z + c.s2 * d.z, c.s0 * a.w + c.s1 * b.w + c.s2 * d.w);
}
D Cell cell_of(const float4* gait, float w1, float w2) {
  float b = w2 * PARTS, a = fmaxf((w1 + w2) * PARTS, b);
  const int i = min((int)a, PARTS - 1), j = min((int)b, i);
  a = fminf(a - i, 1.f);
  b = fminf(b - j, 1.f);
  const bool upper = a >= b || i == j;
  const int base = i * (i + 1) / 2 + j, last = (i + 1) * (i + 2) / 2 + j + 1, middle = upper ? last - 1 : base + 1;
  const float small = upper ? fminf(a, b) : a, large = upper ? a : b;
  return {gait + base * ROW, gait + middle * ROW, gait + last * ROW, 1.f - large, large - small, small};
}
// float4s of a row: 6 of the whole; of every plant 4 of a left heel, 3 of a left toe, 4 of a right heel, 3 of a right toe
D int plant_at(int point, int slot) { return 6 + 14 * slot + 7 * (point >> 1) + 4 * (point & 1); }

// ---------------------------------------------------------------- foot plants
struct Clock { float dt, phase, rate, turn, c, s; };
struct Plant { float start, length, approach, release, begin[2], end[2], low, sole[5], since, hold, firm; };
D bool inside_of(const Plant& p) { return p.since >= 0.f && p.since < p.length; }
D bool full_of(const Plant& p) { return p.length >= FULL; }
D float brake_of(const Plant& p) {
  const float u = fmaxf(1.f + p.since / p.approach, 0.f), after = p.since - p.length, f = fmaxf(1.f - after / p.release, 0.f);
  return p.firm * (p.since < 0.f ? p.since * u * u : after > 0.f ? after * f * f : 0.f);
}
D float press_of(const Plant& p) {
  const float left = (p.length - p.since) / (.3f * fmaxf(p.length, 1e-6f));
  return p.since < 0.f || full_of(p) ? p.hold : p.firm * eased(left);
}
D float since_start(float phase, float start) {
  const float s = phase - start;
  return s - TAU * floorf(s * PER_TAU);
}
D Plant plant_of(const Cell& cell, int point, const Clock& t, bool placed) {
  Plant best;
#pragma unroll
  for (int slot = 0; slot < PLANTS; ++slot) {
    const int at = plant_at(point, slot);
    const float4 a = numbers(cell, at), b = numbers(cell, at + 1), c = numbers(cell, at + 2);
    Plant p;
    p.start = a.x; p.length = a.y; p.approach = a.z; p.release = a.w;
    p.begin[0] = b.x; p.begin[1] = b.y; p.end[0] = b.z; p.end[1] = b.w;
    p.low = c.x;
    p.sole[0] = p.sole[1] = p.sole[2] = p.sole[3] = p.sole[4] = 0.f;
    if ((point & 1) == 0) {
      const float4 d = numbers(cell, at + 3);
      p.sole[0] = c.y; p.sole[1] = c.z; p.sole[2] = c.w; p.sole[3] = d.x; p.sole[4] = d.y;
    }
    const float s = since_start(t.phase, p.start);
    p.since = s < TAU - p.approach || s < p.length ? s : s - TAU;
    p.firm = eased(2.f * p.length / (SHORTEST_PLANT * t.rate) - 1.f);
    const float before = fmaxf(1.f + p.since / p.approach, 0.f), after = fmaxf(1.f - (p.since - p.length) / p.release, 0.f);
    p.hold = p.firm * (p.since < 0.f ? smooth(before) : p.since < p.length ? 1.f : smooth(after));
    p.hold = p.since < p.length || placed ? p.hold : 0.f;
    if (slot == 0 || p.hold > best.hold) best = p;
  }
  return best;
}
D float bearing(const Cell& cell, int point, const Clock& t) {
  float out = 0.f;
#pragma unroll
  for (int slot = 0; slot < PLANTS; ++slot) {
    const float4 a = numbers(cell, plant_at(point, slot));
    const float s = since_start(t.phase, a.x), over = fmaxf(fminf(HAND_OVER * t.rate, SWING_SHARE * a.y), 1e-6f);
    const float ramp = eased(fminf(s, a.y - s) / over), firm = eased(2.f * a.y / (SHORTEST_PLANT * t.rate) - 1.f);
    out = fmaxf(out, firm * (a.y >= FULL ? 1.f : ramp));
  }
  return out;
}
D float hyp(float a, float b) { return sqrtf(a * a + b * b); }

struct Held { float x, z, hold; bool inside, firm; };
D Held hold_point(const Plant& p, const Clock& t, float at_x, float at_z, float& px, float& pz, int& mark, bool begun, float last, float ox, float oz, bool other_stands, float apart) {
  const bool found = p.hold > 0.f, full = full_of(p), was_leaving = mark == LEAVING, was_placed = mark == PLACED;
  const bool inside = found && inside_of(p) && !(was_leaving && p.since >= .5f * p.length && !full);
  const bool early = found && p.since < 0.f, after = found && p.since >= p.length;
  const float gone = after ? p.since - p.length : p.since, angle = -t.turn * gone, ca = 1.f - .5f * angle * angle;
  const float c = t.c * ca - t.s * angle, s = t.s * ca + t.c * angle;
  const float a = after ? p.end[0] : p.begin[0], l = after ? p.end[1] : p.begin[1], vx = s * a + c * l, vz = c * a - s * l;
  const float slope = 1.5f * p.firm / (p.since < .5f * p.length ? p.approach : p.release);
  float quick = found ? fminf(fmaxf(slope * t.rate, HOLD_RATE), STEEPEST_HOLD_RATE) * t.dt : HOLD_RATE * t.dt;
  quick = begun ? quick : 2.f;
  const float fading = was_leaving ? fmaxf(last - quick, 0.f) : 0.f, back = full ? 0.f : fminf(p.since, t.rate * t.dt);
  if (inside && !was_placed) {
    float nx = at_x - back * vx + fading * px, nz = at_z - back * vz + fading * pz;
    if (other_stands) {
      const float gx = nx - ox, gz = nz - oz, reach = apart / fmaxf(hyp(gx, gz), 1e-6f);
      nx = ox + reach * gx;
      nz = oz + reach * gz;
    }
    px = nx;
    pz = nz;
  }
  const bool leaving = !inside && !early && was_placed;
  const float late = after ? gone : 0.f;
  if (leaving) { px = px - at_x + late * vx; pz = pz - at_z + late * vz; }
  const float fx = at_x - p.since * vx, fz = at_z - p.since * vz;
  const bool kept = early && was_placed && hyp(px - fx, pz - fz) <= RELEASE_FROM;
  const float brake = brake_of(p), bx = brake * vx, bz = brake * vz, wanted = found ? p.hold : 0.f;
  const bool is_leaving = leaving || (!inside && was_leaving);
  float down = fmaxf(after ? fminf(wanted, last) : 0.f, last - quick);
  down = fmaxf(begun ? down : wanted, 0.f);
  const float up = fminf(wanted, last + quick), share = up / fmaxf(wanted, 1e-6f);
  Held h;
  h.hold = is_leaving ? (early ? fmaxf(down, up) : down) : inside || early ? up : 0.f;
  h.x = inside ? up * (px - at_x) : 0.f;
  h.z = inside ? up * (pz - at_z) : 0.f;
  if (early) {
    h.x = share * ((kept ? p.hold * (px - fx) : 0.f) - bx);
    h.z = share * ((kept ? p.hold * (pz - fz) : 0.f) - bz);
  }
  if (is_leaving) {
    h.x += down * px - (after ? bx : 0.f);
    h.z += down * pz - (after ? bz : 0.f);
  }
  mark = inside || kept ? PLACED : is_leaving && down > 0.f ? LEAVING : FREE;
  h.inside = inside;
  h.firm = inside && p.firm > FIRM;
  return h;
}
D void sole_of(const Plant& heel, const Plant& toe, float tilt, float& stands, float& turned) {
  const bool heel_later = heel.since < toe.since;
  const float later = heel_later ? heel.since : toe.since, later_length = heel_later ? heel.length : toe.length;
  const float length = fminf(later_length, (heel_later ? toe.length : heel.length) - fabsf(heel.since - toe.since));
  const bool both = heel.hold > 0.f && toe.hold > 0.f && length > 0.f;
  const float x = fminf(fmaxf((tilt - heel.sole[0]) / ROCKING, -3.f), 3.f), q = x * x;
  const float during = (tilt - heel.sole[0] - ROCKING * (x * (27.f + q) / (27.f + 9.f * q))) * fminf(heel.firm, toe.firm);
  const bool same = later < 0.f || later_length <= length + 1e-6f, heel_last = same ? heel_later : !heel_later;
  const float hold = heel_last ? heel.hold : toe.hold, brake = heel_last ? brake_of(heel) : brake_of(toe);
  const float before = later < 0.f ? heel.sole[1] : heel.sole[3], slope = later < 0.f ? heel.sole[2] : heel.sole[4];
  stands = both ? heel.sole[0] : 0.f;
  turned = !both ? 0.f : later >= 0.f && later < length ? during : hold * before + brake * slope;
}
D float sink_of(const Plant* plants, float over, float rate) {
  float best = 0.f, longest = 0.f, sink = 0.f;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const Plant& p = plants[i];
    const bool held = p.hold > 0.f;
    const float press = held ? press_of(p) : 0.f, landing = fminf(TOUCHDOWN * rate, TOUCHDOWN_SHARE * p.length);
    if (held && (press > best || (press == best && p.since > longest))) {
      const bool coming = p.since < landing && !full_of(p);
      sink = press * (coming ? p.low + eased(p.since / fmaxf(landing, 1e-6f)) * (over - p.low) : over);
      best = press;
      longest = p.since;
    }
  }
  return sink;
}

// ---------------------------------------------------------------- legs
struct Target { float hx, hz, tx, tz, heel_hold, toe_hold, sink, turned; };
D void goals_of(const Leg& g, V heel, V toe, const Target& t, V& heel_goal, V& toe_goal) {
  float hu = heel.y - g.heel_height - t.sink, tu = toe.y - g.toe_height - t.sink;
  const float lower = fminf(hu, tu), tilt = hu - tu - t.turned;
  const bool tilted = t.turned != 0.f;
  hu = fmaxf(tilted ? lower + fmaxf(tilt, 0.f) : hu, 0.f);
  tu = fmaxf(tilted ? lower - fminf(tilt, 0.f) : tu, 0.f);
  const float fh = 1.f - t.heel_hold, ft = 1.f - t.toe_hold;
  heel_goal = {heel.x + (t.hx + fh * t.tx), g.heel_height + hu, heel.z + (t.hz + fh * t.tz)};
  toe_goal = {toe.x + (t.tx + ft * t.hx), g.toe_height + tu, toe.z + (t.tz + ft * t.hz)};
}
struct Bent { Q swing, folded, foot; float height, ball; };  // ball: how high the ball of the foot is
D Bent bend(const Leg& g, V hip, V knee, V at, Q hip_turn, Q foot, V heel, V toe, const Target& t) {
  V hg, tg;
  goals_of(g, heel, toe, t, hg, tg);
  foot = between(toe - heel, tg - hg) * foot;
  const float fh = t.heel_hold / (1.f - t.heel_hold + 1e-6f), ft = t.toe_hold / (1.f - t.toe_hold + 1e-6f), sum = fh + ft;
  const float share = sum > 0.f ? ft / fmaxf(sum, 1e-12f) : .5f;
  V to_heel = turned(foot, g.heel), to_toe = turned(foot, g.toe);
  V ankle = (1.f - share) * (hg - to_heel) + share * (tg - to_toe);
  const bool by_toe = share >= .5f;
  {  // roll over a point of the foot so far that the leg need not stretch
    const V off = ankle - hip, pose = at - hip, pivot_at = pick(by_toe, to_toe, to_heel);
    const float now = len(pose), more = fmaxf(len(off) - now, 0.f);
    const V pivot = ankle + pivot_at, to_hip = hip - pivot;
    V axis = cross(to_hip, pivot_at);
    const float size = len(axis);
    if (more > 0.f && size > 1e-7f) {
      const float room = fmaxf(.9999f * g.length - now, 1e-5f), part = fminf(more / room, 1e4f);
      const float far = fminf(fminf(hyp(t.hx, t.hz), hyp(t.tx, t.tz)), .06f) / .06f;
      const float sharp = 1.5f + 6.5f * t.heel_hold * t.toe_hold * far;
      const float reach = now + more / powr(1.f + powr(part, sharp), 1.f / sharp);
      const float short2 = dot(pivot_at, pivot_at), far2 = dot(to_hip, to_hip), both = sqrtf(fmaxf(short2 * far2, 1e-14f));
      const float cn = -dot(pivot_at, to_hip) / both, sn = size / both;
      const float c = fminf(fmaxf((short2 + far2 - reach * reach) / (2.f * both), -1.f), 1.f), s = sqrtf(fmaxf(1.f - c * c, 0.f));
      float angle = atan2f(sn * c - cn * s, cn * c + sn * s);
      const float q = angle / .45f, q2 = q * q;
      angle = angle / powr(1.f + q2 * q2 * q2, 1.f / 6.f);
      float sa, ca;
      sincos_(.5f * angle, sa, ca);
      sa /= fmaxf(size, 1e-12f);
      const Q turn{ca, sa * axis.x, sa * axis.y, sa * axis.z};
      ankle = pivot - turned(turn, pivot_at);
      foot = turn * foot;
      to_heel = turned(turn, to_heel);
      to_toe = turned(turn, to_toe);
    }
  }
  const float miss = fminf(share, 1.f - share);
  const V missed = pick(by_toe, hg - to_heel, tg - to_toe) - ankle;
  ankle.x += miss * missed.x;
  ankle.z += miss * missed.z;
  // two bones
  const V thigh = knee - hip, shank = at - knee, wanted = ankle - hip;
  const float u2 = dot(thigh, thigh), l2 = dot(shank, shank), upper = sqrtf(u2), lower = sqrtf(l2), far = len(wanted);
  const float reach = fminf(fmaxf(far, fabsf(upper - lower) + 1e-6f), .9999f * (upper + lower));
  V hinge = turned(hip_turn, g.hinge);
  hinge = unit(hinge - (dot(hinge, thigh) / u2) * thigh);
  const V own = cross(thigh, shank);
  const float size = len(own), along = dot(thigh, shank);
  float bent_share = eased((atan2f(size, along) - 0.08726646f) / 0.34906585f);
  bent_share = dot(hinge, own) > 0.f ? bent_share : 0.f;
  const V axis = unit((bent_share / fmaxf(size, 1e-9f)) * own + (1.f - bent_share) * hinge);
  const float across = dot(thigh, cross(axis, shank)), both = fmaxf(hyp(along, across), 1e-9f);
  const float c1 = fminf(fmaxf((reach * reach - u2 - l2) / (2.f * both), -1.f), 1.f), s1 = sqrtf(fmaxf(1.f - c1 * c1, 0.f));
  const float c0 = along / both, s0 = across / both;
  const Q bent = about(axis, c0 * c1 - s0 * s1, s0 * c1 + c0 * s1);
  Bent out;
  out.swing = between(thigh + turned(bent, shank), wanted);
  out.folded = out.swing * bent;
  out.foot = foot;
  const float high = far > reach ? (reach / fmaxf(far, 1e-9f) - 1.f) * wanted.y : 0.f;
  out.ball = ankle.y + to_toe.y;
  out.height = high + fminf(ankle.y + to_heel.y - g.heel_height, out.ball - g.toe_height);
  return out;
}
// toes that would go through the ground are bent up
D Q toes_of(const Leg& g, Q toes, Q foot, float ball) {
  const float size = g.tip_length, up = ball - g.toe_height;
  const V tip = turned(toes, g.tip), across = turned(foot, g.across);
  const float level = across.y * dot(across, tip), hi = tip.y - level, ahead = across.z * tip.x - across.x * tip.z;
  const float reach = fmaxf(hyp(hi, ahead), 1e-6f);
  float upright = atan2f(ahead, hi);
  upright = upright < -1.57079633f ? upright + TAU : upright;
  const float flat = acosf(fminf(fmaxf((g.tip_height - g.toe_height - level) / reach, -1.f), 1.f));
  float angle = upright - flat - .35f * fmaxf(up, 0.f) / size;
  const float past = fmaxf(angle + .19f, 0.f);
  angle = angle < .19f ? .25f * past * past / .19f : angle;
  const float share = eased((5.f * size - up) / (4.f * size)) * eased((4.71238898f - upright) / 0.78539816f);
  float s, c;
  sincos_(.5f * share * angle, s, c);
  return Q{c, s * across.x, s * across.y, s * across.z} * toes;
}

// What one foot does in a step: where it is asked to be, and what its points remember.
struct Feet { int marks, holds, planted; float strain; bool begun; int before, last; };
D Target ask(const Leg& g, const Cell& cell, const Clock& t, int foot, V hip, V at, V heel, V toe, float4& kept, Feet& f, Held* h, bool& rolling) {
  Plant p[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) p[i] = plant_of(cell, 2 * foot + i, t, ((f.before >> (2 * (2 * foot + i))) & 3) != 0);
  if (t.dt > LONG_STEP) {
#pragma unroll
    for (int i = 0; i < 2; ++i)
      if (p[i].since < (t.dt - LONG_STEP) * t.rate && !full_of(p[i])) f.marks &= ~(3 << (2 * (2 * foot + i)));
  }
  const float over_heel = heel.y - g.heel_height, over_toe = toe.y - g.toe_height;
  float stands, turned_;
  sole_of(p[0], p[1], over_heel - over_toe, stands, turned_);
  const float rise = g.heel_height - g.toe_height, tilt = rise + stands;
  const float apart = sqrtf(fmaxf(g.flat_length * g.flat_length + rise * rise - tilt * tilt, 0.f));
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const int q = 2 * foot + i, o = 2 * foot + 1 - i;
    const bool stays = ((f.marks >> (2 * o)) & 3) == PLACED && p[1 - i].since < p[1 - i].length && p[1 - i].hold > 0.f;
    int mark = (f.marks >> (2 * q)) & 3;
    const float last = ((f.last >> (8 * q)) & 255) * (1.f / 255.f);
    if (i == 0) h[0] = hold_point(p[0], t, heel.x, heel.z, kept.x, kept.y, mark, f.begun, last, kept.z, kept.w, stays, apart);
    else h[1] = hold_point(p[1], t, toe.x, toe.z, kept.z, kept.w, mark, f.begun, last, kept.x, kept.y, stays, apart);
    f.marks = (f.marks & ~(3 << (2 * q))) | (mark << (2 * q));
  }
  const float sink = sink_of(p, fminf(over_heel, over_toe), t.rate);
  V hg, tg;
  goals_of(g, heel, toe, {h[0].x, h[0].z, h[1].x, h[1].z, 1.f, 1.f, sink, turned_}, hg, tg);
  const V moved = (1.f - g.ankle_share) * (hg - heel) + g.ankle_share * (tg - toe);
  const float shorter = len(at + moved - hip) - .9999f * g.length;
  const float down = h[0].inside && h[1].inside ? 1.f - eased(shorter / .03f) : 1.f;
  h[0].x *= down; h[0].z *= down; h[0].hold *= down;
  float part = 1.f;
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const float far = hyp(h[i].x, h[i].z);
    part = fminf(part, eased((RELEASE_AT - far) / (RELEASE_AT - RELEASE_FROM)));
    f.strain = fmaxf(f.strain, h[i].inside ? far : 0.f);
    f.holds |= (int)rintf(__saturatef(h[i].hold) * 255.f) << (8 * (2 * foot + i));
  }
  rolling = !((h[0].inside && !(p[0].since > .7f * p[0].length)) || (h[1].inside && !(p[1].since > .7f * p[1].length)));
  const float hh = h[0].inside ? h[0].hold : fminf(h[0].hold, FIRM), th = h[1].inside ? h[1].hold : fminf(h[1].hold, FIRM);
  return {part * h[0].x, part * h[0].z, part * h[1].x, part * h[1].z, part * hh, part * th, sink, part * turned_};
}
D void note_standing(Feet& f, int foot, const Held* h, bool rolling, float lifted) {
  const int at = STANDING + 2 * foot, was = f.begun ? (f.marks >> at) & 3 : DOWN;
  int now = was == COMING && lifted <= DOWN_AT ? DOWN : was;
  now = was == DOWN && rolling && lifted > DOWN_AT ? ROLLING : now;
  now = !(h[0].inside || h[1].inside) || (was == DOWN && lifted > LIFTED_AT && !rolling) ? COMING : now;
  f.marks = (f.marks & ~(3 << at)) | (now << at);
#pragma unroll
  for (int i = 0; i < 2; ++i) f.planted |= (h[i].firm && now == DOWN && h[i].hold > FIRM ? 1 : 0) << (2 * foot + i);
}

// ---------------------------------------------------------------- variety
D unsigned hashed(unsigned x) {
  x ^= x >> 16; x *= 0x7feb352du;
  x ^= x >> 15; x *= 0x846ca68bu;
  return x ^ (x >> 16);
}
D Q noisy(Q q, unsigned id, int channel, float noise, int beat, float beat_part) {
  float r[3];
#pragma unroll
  for (int a = 0; a < 3; ++a) {
    const unsigned h = hashed(id * 0x9E3779B1u + (unsigned)(3 * channel + a) * 0x85EBCA77u);
    float time = beat_part + (float)(h >> 8) * 5.9604644775390625e-8f;
    const unsigned carry = time >= 1.f ? 1u : 0u;
    time -= (float)carry;
    const unsigned at = ((unsigned)beat + carry) * 0xC2B2AE3Du + h;
    const float g0 = (float)(int)hashed(at) * 4.656612873077393e-10f, g1 = (float)(int)hashed(at + 0xC2B2AE3Du) * 4.656612873077393e-10f;
    const float fade = time * time * time * (time * (time * 6.f - 15.f) + 10.f), low = g0 * time, high = g1 * (time - 1.f);
    r[a] = .5f * noise * ((low + fade * (high - low)) * 1.14f);
  }
  return {q.w - (q.x * r[0] + q.y * r[1] + q.z * r[2]), q.x + q.w * r[0] + q.y * r[2] - q.z * r[1], q.y + q.w * r[1] + q.z * r[0] - q.x * r[2], q.z + q.w * r[2] + q.x * r[1] - q.y * r[0]};
}

// ---------------------------------------------------------------- out
#if HALF
typedef uint2 Out;
D Out row_of(float a, float b, float c, float d) { return make_uint2(halves(a, b), halves(c, d)); }
#else
typedef float4 Out;
D Out row_of(float a, float b, float c, float d) { return make_float4(a, b, c, d); }
#endif
#define PITCH (3 * AT_A_TIME + 1)
D void put_joint(Out* buffer, int joint, const M& r, float x, float y, float z, int lane) {
  Out* out = buffer + PITCH * lane + 3 * (joint % AT_A_TIME);
  out[0] = row_of(r.m[0], r.m[1], r.m[2], x);
  out[1] = row_of(r.m[3], r.m[4], r.m[5], y);
  out[2] = row_of(r.m[6], r.m[7], r.m[8], z);
}
// characters' runs of joints from the first one on, written whole: threads next to each other write next to each other
template <int COUNT>
D void send(const Out* buffer, Out* __restrict__ poses, int character, int first, int lane) {
  __syncwarp();
#pragma unroll
  for (int k = 0; k < 3 * COUNT; ++k) {
    const int i = 32 * k + lane, whose = i / (3 * COUNT), row = i - whose * (3 * COUNT);
    const int to = __shfl_sync(ALL, character, whose);
    if (to >= 0) __stcs(poses + (size_t)to * (3 * JOINTS) + 3 * first + row, buffer[PITCH * whose + row]);
  }
  __syncwarp();
}

// ---------------------------------------------------------------- 32 characters of one triangle a warp
#define TILE (64 * TILES)                     // uint4s of 16 numbers' coefficients
#define CONSTANTS (2 * EIGHTS * TILE + TILE)  // of a triangle; the last ones are those of the foot points
#define STAGE (256 * SLOTS_OF_EIGHT)          // float4s of a warp: the quaternions,
#define ASIDE (RESIDENT < EIGHTS ? 128 * TILES : 0)  // the basis,
#define BUFFER (32 * PITCH)                   // what goes out,
#define SMALL (8 * (UPPER > 8 ? UPPER : 8))   // gains, or how foot points move,
#define KEEP (64 * KEPT)                      // joints on which several hang
#define ROOM (STAGE + SMALL + KEEP + ASIDE)
#define FULL_ROWS (GAIT_SHARED ? VERTICES * ROW : 0)

extern "C" __global__ void __launch_bounds__(32 * WARPS, 1) play(float4* __restrict__ records, const float2* __restrict__ goals, STEP, float made, int harmonics, int columns, float noise, int beat, float beat_part, const float* __restrict__ maps, const float* __restrict__ seconds, const float2* __restrict__ corners, const uint4* __restrict__ coefficients, const float* __restrict__ energies, const float4* __restrict__ gaits, const float4* __restrict__ means, const int2* __restrict__ runs, const int* __restrict__ order, int* __restrict__ counts, Out* __restrict__ poses) {
  extern __shared__ uint4 shared[];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  uint4* own_coefficients = shared;
  float4* own_gaits = (float4*)(shared + CONSTANTS);
  float4* room = own_gaits + FULL_ROWS + warp * ROOM;
  float2* stage = (float2*)room;
  float* small = (float*)(room + STAGE);
  float4* keep = room + STAGE + SMALL;
#if RESIDENT < EIGHTS
  unsigned* aside = (unsigned*)(keep + KEEP);
#endif
  Out* buffer = (Out*)(own_gaits + FULL_ROWS + WARPS * ROOM) + warp * BUFFER;
  if (blockIdx.x == 0) for (int t = threadIdx.x; t < TRIANGLES; t += blockDim.x) counts[t] = 0;  // for the next step
  const int groups = runs[TRIANGLES].x;
  int from = (int)((long long)groups * blockIdx.x / gridDim.x);
  const int to = (int)((long long)groups * (blockIdx.x + 1) / gridDim.x);
  if (from >= to) return;
  int tri = 0;
  {  // the last triangle that begins at or before the first group, and is not empty
    int low = 0, high = TRIANGLES;
    while (high - low > 1) { const int middle = (low + high) / 2; if (runs[middle].x <= from) low = middle; else high = middle; }
    tri = low;
  }
  for (; from < to; ++tri) {
    const int2 run = runs[tri];
    const int end = min(to, tri + 1 < TRIANGLES ? runs[tri + 1].x : groups);
    if (end <= from) continue;
    __syncthreads();
    for (int i = threadIdx.x; i < CONSTANTS; i += blockDim.x) own_coefficients[i] = coefficients[(size_t)tri * CONSTANTS + i];
#if GAIT_SHARED
    for (int i = threadIdx.x; i < VERTICES * ROW; i += blockDim.x) own_gaits[i] = gaits[(size_t)tri * VERTICES * ROW + i];
    const float4* gait = own_gaits;
#else
    const float4* gait = gaits + (size_t)tri * VERTICES * ROW;
#endif
    __syncthreads();
    const float *map = maps + 9 * tri;
    for (int group = from + warp; group < end; group += WARPS) {
      const int left = run.y - 32 * (group - run.x);
      const bool live = lane < left;
      const int character = order[32 * group + (live ? lane : 0)];
      int next = group + WARPS < end ? order[32 * (group + WARPS) + lane] : -1;
      if (32 * (group + WARPS - run.x) + lane >= run.y) next = -1;
      float4* record = records + 6 * (size_t)character;
      const float4 r1 = record[1], r2 = record[2], r5 = record[5];
      float w0, w1, w2, d0, d1, d2;
      {
        const float4 r0 = record[0];
        const float2 goal = goals[character];
        int old = __float_as_int(r5.w);
        if (old < 0 || old >= TRIANGLES) old = 0;
        Moved m = advance(r0, goal.x, goal.y, __float_as_int(r5.x), maps + 9 * old, seconds + 3 * old, dt, stiffness, decay, furthest);
        float w[3];
        weights(map, m.x, m.y, w);
        const bool outside = fminf(w[0], fminf(w[1], w[2])) < -1e-6f;
        float sum = 0.f;
#pragma unroll
        for (int k = 0; k < 3; ++k) { w[k] = fmaxf(w[k], 0.f); sum += w[k]; }
        const bool lost = !(sum > 1e-6f && sum < 1e6f);  // no number, or as good as none: back to a corner
#pragma unroll
        for (int k = 0; k < 3; ++k) w[k] = lost ? (k == 0 ? 1.f : 0.f) : w[k] / sum;
        if (outside || lost) {
          m = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
          for (int k = 0; k < 3; ++k) { const float2 p = corners[3 * tri + k]; m.x += w[k] * p.x; m.y += w[k] * p.y; }
        }
        float d[3];
#pragma unroll
        for (int k = 0; k < 3; ++k) {
          d[k] = map[3 * k + 1] * (m.x - r0.x) + map[3 * k + 2] * (m.y - r0.y);
          if (!(fabsf(d[k]) < 1e3f)) d[k] = 0.f;
        }
        w0 = w[0]; w1 = w[1]; w2 = w[2];
        d0 = d[0]; d1 = d[1]; d2 = d[2];
        if (live) record[0] = make_float4(m.x, m.y, m.vx, m.vy);
      }
      const Cell cell = cell_of(gait, w1, w2);
      const float4 head = numbers(cell, 0);
      const float rate = TAU / head.x;
      float phase = r1.x + rate * dt;
      phase -= TAU * floorf(phase * PER_TAU);
      const float turns = (phase - head.y) * PER_TAU;
      __syncwarp();
#if UPPER
#pragma unroll 1
      for (int u = 0; u < UPPER; ++u) {
        const float* e = energies + (size_t)(tri * UPPER + u) * 12;
        const float have = w0 * (e[0] * w0 + 2.f * (e[3] * w1 + e[4] * w2)) + w1 * (e[1] * w1 + 2.f * e[5] * w2) + e[2] * w2 * w2;
        const float want = w0 * e[6] + w1 * e[7] + w2 * e[8];
        small[32 * u + lane] = sqrtf(fminf(fmaxf(want / fmaxf(have, 1e-30f), 1.f), 10.f));
      }
      __syncwarp();
#endif
#pragma unroll 1
      for (int first = 0; first < 4; first += AT_ONCE) {
        Basis basis;
        make_basis(basis, first, w0, w1, w2, turns, harmonics, lane);
#pragma unroll 1
        for (int e = 0; 8 * e < PLAIN / 4; ++e) mix_eight(own_coefficients + 2 * e * TILE, basis, stage + 512 * e, first, 0, PLAIN / 4 - 8 * e, lane);
#if UPPER
        amplify(basis, first, small, lane);
#endif
#pragma unroll 1
        for (int e = PLAIN / 32; e < RESIDENT; ++e) mix_eight(own_coefficients + 2 * e * TILE, basis, stage + 512 * e, first, PLAIN / 4 - 8 * e, 8, lane);
#if RESIDENT < EIGHTS
        put_aside(basis, aside + 128 * TILES * first, lane);
#endif
      }
      const bool moves = __any_sync(ALL, d0 != 0.f || d1 != 0.f || d2 != 0.f);
      __syncwarp();
      if (moves) {  // how foot points move because the blend changes, seen from the root: [8][32]
#pragma unroll 1
        for (int first = 0; first < 4; first += AT_ONCE) {
          Basis basis;
          make_basis(basis, first, d0, d1, d2, turns, harmonics, lane);
          float sum[AT_ONCE][4] = {};
          mix(own_coefficients + 2 * EIGHTS * TILE, basis, sum, lane);
#pragma unroll
          for (int n = 0; n < AT_ONCE; ++n) {
            float* out = small + 32 * (lane >> 2) + 8 * (first + n) + 2 * (lane & 3);
            out[0] = sum[n][0];
            out[1] = sum[n][1];
          }
        }
      }
      __syncwarp();
      // ---- travel
      const Q travel = quad_of(stage, PLAIN / 4 - 1, lane);
      float s, c, x, z, height;
      Clock t;
      {
        float rowed[24];
#pragma unroll
        for (int k = 1; k < 6; ++k) {
          const float4 a = numbers(cell, k);
          rowed[4 * k] = a.x; rowed[4 * k + 1] = a.y; rowed[4 * k + 2] = a.z; rowed[4 * k + 3] = a.w;
        }
        sincos_(phase, s, c);
        float ck = c, sk = s, fore = rowed[5], side = rowed[14];
        height = travel.w + head.z + head.w * c - rowed[4] * s;
#pragma unroll
        for (int k = 0; k < 4; ++k) {
          fore += rowed[6 + 2 * k] * ck + rowed[7 + 2 * k] * sk;
          side += rowed[15 + 2 * k] * ck + rowed[16 + 2 * k] * sk;
          const float next = ck * c - sk * s;
          sk = ck * s + sk * c;
          ck = next;
        }
        const float ahead = travel.x + rate * fore, aside = travel.y + rate * side, turning = travel.z;
        const float half = .5f * dt, yaw = r1.w + half * (r2.z + turning);
        sincos_(.5f * (r1.w + yaw), s, c);
        const float fo = half * (r2.x + ahead), si = half * (r2.y + aside);
        z = r1.z + (c * fo - s * si);
        x = r1.y + (s * fo + c * si);
        sincos_(yaw, s, c);
        t = {dt, phase, rate, turning / rate, c, s};
        // the root makes way for feet that stand while the blend changes
        float wa = 0.f, wl = 0.f, total = 0.f;
        if (moves) {
#pragma unroll
          for (int q = 0; q < 4; ++q) {
            const float share = bearing(cell, q, t);
            wa -= share * small[32 * (2 * q) + lane];
            wl -= share * small[32 * (2 * q + 1) + lane];
            total += share;
          }
        }
        total = fmaxf(total, 1.f);
        wa /= total;
        wl /= total;
        const float most = fmaxf(ROOT_SHIFT_SPEED * dt, 1e-9f), limit = rsqrtf(1.f + (wa * wa + wl * wl) / (most * most));
        const int word = __float_as_int(r2.w);
        const float ox = (float)((word << 16) >> 16) * (1.f / 32768.f) + limit * (s * wa + c * wl);
        const float oz = (float)(word >> 16) * (1.f / 32768.f) + limit * (c * wa - s * wl);
        x += made * ox;
        z += made * oz;
        const float keep = (1.f - made) * 32768.f;
        const int lo = (int)rintf(fminf(fmaxf(keep * ox, -32768.f), 32767.f)), hi = (int)rintf(fminf(fmaxf(keep * oz, -32768.f), 32767.f));
        if (live) {
          record[1] = make_float4(phase, x, z, yaw - TAU * rintf(yaw * PER_TAU));
          record[2] = make_float4(ahead, aside, turning, __int_as_float((lo & 0xffff) | (hi << 16)));
        }
      }
      const int origin = __float_as_int(r5.z);
      const float far_x = HALF ? -x : (float)((origin << 16) >> 16) * 64.f, far_z = HALF ? -z : (float)(origin >> 16) * 64.f;
      Feet f = {__float_as_int(r5.x), 0, 0, 0.f, false, __float_as_int(r5.x), __float_as_int(r5.y)};
      f.begun = ((f.marks >> BEGUN) & 1) == 1;
      Q facing;
      sincos_(.5f * (r1.w + .5f * dt * (r2.z + travel.z)), facing.y, facing.w);
      facing.x = facing.z = 0.f;
      if (next >= 0) {  // what the next round reads comes nearer meanwhile
        const float4* there = records + 6 * (size_t)next;
        asm volatile("prefetch.global.L2 [%0];" ::"l"(there));
        asm volatile("prefetch.global.L2 [%0];" ::"l"(there + 5));
      }
      // ---- legs: their rotations in the world take the place of those in the parents' frames
      float ball[2];
#pragma unroll 1
      for (int foot = 0; foot < 2; ++foot) {
        const Leg& g = LEGS[foot];
        Q a = facing * quad_of(stage, JOINT[0].x, lane);
        V b = {x, height, z}, hip, knee;
        Q hip_turn;
#pragma unroll 1
        for (int i = 0; i < ABOVE + PATH; ++i) {
          const int joint = CHAIN[foot][i], quad = JOINT[joint].x;
          b = b + turned(a, OFFSETS[joint]);
          a = a * (JOINT[joint].z < columns ? quad_of(stage, quad, lane) : mean_of(means + (size_t)(tri * JOINTS + joint) * 3, w0, w1, w2));
          if (i >= ABOVE) put_quad(stage, quad, lane, a);
          if (i == ABOVE) { hip = b; hip_turn = a; }
          if (i == ABOVE + KNEE) knee = b;
        }
        const V heel = b + turned(a, g.heel), toe = b + turned(a, g.toe);
        float4 kept = record[3 + foot];
        Held h[2];
        bool rolling;
        const Target target = ask(g, cell, t, foot, hip, b, heel, toe, kept, f, h, rolling);
        if (live) record[3 + foot] = kept;
        const Bent bent = bend(g, hip, knee, b, hip_turn, a, heel, toe, target);
        note_standing(f, foot, h, rolling, bent.height);
#pragma unroll 1
        for (int i = 0; i < PATH - 1; ++i) {
          const int quad = JOINT[CHAIN[foot][ABOVE + i]].x;
          put_quad(stage, quad, lane, (i < KNEE ? bent.swing : bent.folded) * quad_of(stage, quad, lane));
        }
        put_quad(stage, JOINT[CHAIN[foot][ABOVE + PATH - 1]].x, lane, bent.foot);
        if (foot) ball[1] = bent.ball; else ball[0] = bent.ball;
      }
      // ---- joints, in the order in which they are written
      const int writes = live ? character : -1;
      Q q = facing;
      V at = {x, height, z};
      M m;
#if RESIDENT < EIGHTS
      int eight = 0;
#endif
#pragma unroll 1
      for (int joint = 0; joint < JOINTS; ++joint) {
        const int4 is = JOINT[joint];  // its quaternion, bits of what else there is to do, and its column
        if (is.y & FROM_KEPT) {
          const float4 *from = keep + 64 * ((is.y >> 8) & 255) + lane, one = from[0], two = from[32];
          q = {one.x, one.y, one.z, one.w};
          at = {two.x, two.y, two.z};
          m = matrix(q);
        }
        if (joint) at = at + m * OFFSETS[joint];
#if RESIDENT < EIGHTS
        if (is.y & IS_NEXT) {  // the first one of its eight
          __syncwarp();
#pragma unroll 1
          for (int first = 0; first < 4; first += AT_ONCE) {
            Basis basis;
            take_back(basis, aside + 128 * TILES * first, lane);
            mix_eight(own_coefficients + 2 * (RESIDENT + eight) * TILE, basis, stage + 512 * RESIDENT, first, 0, 8, lane);
          }
          ++eight;
          __syncwarp();
        }
#endif
        Q own = quad_of(stage, is.x, lane);
        if (is.z >= columns && !(is.y & IS_GIVEN)) own = mean_of(means + (size_t)(tri * JOINTS + joint) * 3, w0, w1, w2);
        if (NOISY && (is.y & IS_NOISY) && noise > 0.f) own = noisy(own, character, (is.y >> 24) & 255, noise, beat, beat_part);
        q = is.y & IS_GIVEN ? own : q * own;
        if (is.y & IS_TOE) {
          const int foot = (is.y & IS_RIGHT) != 0;
          q = toes_of(LEGS[foot], q, quad_of(stage, JOINT[CHAIN[foot][ABOVE + PATH - 1]].x, lane), foot ? ball[1] : ball[0]);
        }
        m = matrix(q);
        if (is.y & IS_KEPT) {
          float4* to = keep + 64 * ((is.y >> 16) & 255) + lane;
          to[0] = make_float4(q.w, q.x, q.y, q.z);
          to[32] = make_float4(at.x, at.y, at.z, 0.f);
        }
        put_joint(buffer, joint, m, at.x + far_x, at.y, at.z + far_z, lane);
        if (joint % AT_A_TIME == AT_A_TIME - 1) send<AT_A_TIME>(buffer, poses, writes, joint + 1 - AT_A_TIME, lane);
      }
      if (JOINTS % AT_A_TIME) send<JOINTS % AT_A_TIME ? JOINTS % AT_A_TIME : 1>(buffer, poses, writes, JOINTS - JOINTS % AT_A_TIME, lane);
      const float give = eased((STRAIN_TO - f.strain) / (STRAIN_TO - STRAIN_FROM));
      f.marks = (f.marks & ((1 << GIVE) - 1)) | (1 << BEGUN) | ((int)rintf(give * 255.f) << GIVE) | (f.planted << PLANTED);
      if (live) record[5] = make_float4(__int_as_float(f.marks), __int_as_float(f.holds), r5.z, __int_as_float(tri));
      __syncwarp();
    }
    from = end;
  }
}
