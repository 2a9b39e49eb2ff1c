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

