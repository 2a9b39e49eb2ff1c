// ---------------------------------------------------------------- harmonics
// A basis: of every character, weights times cosine and sine of its harmonics, and its weights. Four threads make it:
// slots of thread t are the 3 weights of harmonic 4 a + t + 1; then, for each harmonic that is left, threads 0 to 2 have
// one weight each; there the last thread has the means of corners 0 and 1, then of 2. Two slots are what one step of the tensor cores takes; they lie in shared memory as [basis][eight characters][step][thread].
#define WHOLE (HARMONICS / 4)
#define REST (HARMONICS % 4)
#define SLOTS (3 * WHOLE + (REST < 2 ? 2 : REST))
#define TILES ((SLOTS + 1) / 2)
#define TILE (64 * TILES)            // uint4s of 16 numbers' coefficients
#define FOOT_TILES ((WHOLE + 2) / 2)  // steps of foot points, whose basis has no weights
#define BASES (UPPER ? 2 : 1)        // as it is; and with gains of the upper harmonics
#define BASIS (4 * TILES * 32)       // uint4s of a basis of 32 characters
#define TURNS (UPPER ? (UPPER + 3) / 4 : 1)  // gains that one thread finds

D void wave(float turns, int k, float& c, float& s) {
  const float a = turns * k;
  __sincosf(TAU * (a - rintf(a)), &s, &c);
}
// by how much upper harmonics grow so that a blend keeps their energy: of thread t those of FIRST + t, FIRST + t + 4, …
D void find_gains(float* gains, const float4* energies, float w0, float w1, float w2, int t) {
#pragma unroll
  for (int i = 0; i < TURNS; ++i) {
    const float4* e = energies + 3 * min(4 * i + t, UPPER ? UPPER - 1 : 0);
    const float4 own = e[0], both = e[1];
    const float have = w0 * (own.x * w0 + 2.f * (own.w * w1 + both.x * w2)) + w1 * (own.y * w1 + 2.f * both.y * w2) + own.z * w2 * w2;
    const float want = w0 * both.z + w1 * both.w + w2 * e[2].x;
    gains[i] = sqrtf(fminf(fmaxf(want / fmaxf(have, 1e-30f), 1.f), 10.f));
  }
}
D float gain_of(const float* gains, int harmonic, int lane) {
  const int u = harmonic - FIRST, from = (lane & ~3) | (u & 3);
  float out = 1.f;
#pragma unroll
  for (int i = 0; i < TURNS; ++i) {
    const float other = __shfl_sync(ALL, gains[i], from);
    out = u >= 0 && (u >> 2) == i ? other : out;
  }
  return out;
}
// to: where this thread's part of the first basis begins
D void make_bases(uint4* to, float w0, float w1, float w2, float turns, int harmonics, const float* gains, int lane) {
  const int t = lane & 3;
  uint4 plain = {}, upper = {};
  float c = 0.f, s = 0.f, gain = 1.f;
#pragma unroll
  for (int slot = 0; slot < 2 * TILES; ++slot) {
    float x = 0.f, y = 0.f;
    if (slot < 3 * WHOLE) {
      const int k = 4 * (slot / 3) + t + 1, corner = slot % 3;
      if (corner == 0) {
        wave(turns, k, c, s);
        if (k > harmonics) c = s = 0.f;
        if (UPPER && 4 * (slot / 3) + 4 >= FIRST) gain = gain_of(gains, k, lane);
      }
      const float own = corner == 0 ? w0 : corner == 1 ? w1 : w2;
      x = own * c;
      y = own * s;
    } else {
      const int rest = slot - 3 * WHOLE, k = 4 * WHOLE + 1 + rest;
      if (rest < REST) {
        wave(turns, k, c, s);
        const float own = k > harmonics ? 0.f : t == 0 ? w0 : t == 1 ? w1 : w2;
        gain = UPPER && k >= FIRST ? gain_of(gains, k, lane) : 1.f;
        x = own * c;
        y = own * s;
      }
      if (t == 3) {
        x = rest == 0 ? w0 : rest == 1 ? w2 : 0.f;
        y = rest == 0 ? w1 : 0.f;
        gain = 1.f;
      }
    }
    unsigned high, low, more, less;
    split(x, y, high, low);
    more = high;
    less = low;
    if (UPPER && !(slot < 3 * WHOLE ? 4 * (slot / 3) + 4 < FIRST : slot >= 3 * WHOLE + REST || slot - WHOLE * 3 + 4 * WHOLE + 1 < FIRST)) split(gain * x, gain * y, more, less);
    if (slot & 1) {
      plain.y = high; plain.w = low; upper.y = more; upper.w = less;
      to[32 * (slot >> 1)] = plain;
      if (UPPER) to[BASIS + 32 * (slot >> 1)] = upper;
    } else {
      plain.x = high; plain.z = low; upper.x = more; upper.z = less;
    }
  }
}
// How foot points move because the blend changes, seen from the root: 8 numbers of eight characters, of which a thread
// gets number lane / 4 of two. The tables of the three corners are mixed apart; mixed: weights and their changes.
D float2 move_feet(const uint4* A, float4 mixed, float turns, int harmonics, int lane) {
  const int t = lane & 3;
  unsigned high[2 * FOOT_TILES], low[2 * FOOT_TILES];
#pragma unroll
  for (int slot = 0; slot < 2 * FOOT_TILES; ++slot) {
    const int k = slot < WHOLE ? 4 * slot + t + 1 : slot == WHOLE && t < REST ? 4 * WHOLE + 1 + t : 0;
    float c = slot == WHOLE && t == REST ? 1.f : 0.f, s = 0.f;
    if (slot <= WHOLE && k > 0) {
      wave(turns, k, c, s);
      if (k > harmonics) c = s = 0.f;
    }
    split(c, s, high[slot], low[slot]);
  }
  float sum[2][4] = {};
#pragma unroll
  for (int kt = 0; kt < FOOT_TILES; ++kt)
#pragma unroll
    for (int corners = 0; corners < 2; ++corners) {
      const uint4 more = A[64 * (FOOT_TILES * corners + kt) + lane], less = A[64 * (FOOT_TILES * corners + kt) + 32 + lane];
      mma(sum[corners], more, high[2 * kt], high[2 * kt + 1]);
      mma(sum[corners], less, high[2 * kt], high[2 * kt + 1]);
      mma(sum[corners], more, low[2 * kt], low[2 * kt + 1]);
    }
  float out[2];
#pragma unroll
  for (int i = 0; i < 2; ++i) {
    const float d1 = __shfl_sync(ALL, mixed.z, 8 * t + 4 * i), d2 = __shfl_sync(ALL, mixed.w, 8 * t + 4 * i);
    out[i] = d1 * (sum[0][2 + i] - sum[0][i]) + d2 * (sum[1][i] - sum[0][i]);
  }
  return make_float2(out[0], out[1]);
}
// eight quaternions of 32 characters: products of two tiles of coefficients (highs and what they leave) with a basis
D void mix(const uint4* A, const uint4* B, float (*sum)[4][4], int lane) {
#pragma unroll
  for (int kt = 0; kt < TILES; ++kt) {
    const uint4 high[2] = {A[64 * kt + lane], A[TILE + 64 * kt + lane]}, low[2] = {A[64 * kt + 32 + lane], A[TILE + 64 * kt + 32 + lane]};
    uint4 b[4];
#pragma unroll
    for (int n = 0; n < 4; ++n) b[n] = B[32 * (TILES * n + kt) + lane];
#pragma unroll
    for (int i = 0; i < 8; ++i) mma(sum[i & 1][i >> 1], high[i & 1], b[i >> 1].x, b[i >> 1].y);
#pragma unroll
    for (int i = 0; i < 8; ++i) mma(sum[i & 1][i >> 1], low[i & 1], b[i >> 1].x, b[i >> 1].y);
#pragma unroll
    for (int i = 0; i < 8; ++i) mma(sum[i & 1][i >> 1], high[i & 1], b[i >> 1].z, b[i >> 1].w);
  }
}
// quaternions of all 32 characters lie next to each other; odd ones swap neighbours, so that banks do not collide
D int staged(int quad, int character) { return 32 * quad + (character ^ (quad & 1)); }
D Q quad_of(const float4* stage, int quad, int lane) {
  const float4 a = stage[staged(quad, lane)];
  return {a.x, a.y, a.z, a.w};
}
D void put_quad(float4* stage, int quad, int lane, Q q) { stage[staged(quad, lane)] = make_float4(q.w, q.x, q.y, q.z); }
// the quaternions of a lowest to a highest one; place: where this thread's one lies in rows of characters, if not staged
D void put_eight(float4* stage, float4* rows, int eight, int place, int lowest, int highest, const float (*sum)[4][4], int lane) {
  const int g = lane >> 2, t = lane & 3;
  if (g < lowest || g >= highest || place < 0) return;
  float4 *even = stage + 32 * (8 * eight + g) + 2 * t + (g & 1), *odd = even + 1 - 2 * (g & 1);
  if (eight < STAGED)
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      even[8 * n] = make_float4(sum[0][n][0], sum[0][n][2], sum[1][n][0], sum[1][n][2]);
      odd[8 * n] = make_float4(sum[0][n][1], sum[0][n][3], sum[1][n][1], sum[1][n][3]);
    }
  else {
    even = rows + 2 * t * PITCH + place;
#pragma unroll
    for (int n = 0; n < 4; ++n) {
      even[8 * n * PITCH] = make_float4(sum[0][n][0], sum[0][n][2], sum[1][n][0], sum[1][n][2]);
      even[(8 * n + 1) * PITCH] = make_float4(sum[0][n][1], sum[0][n][3], sum[1][n][1], sum[1][n][3]);
    }
  }
}
// the mean of a blend, for joints that are not drawn at a level of detail
__device__ __noinline__ Q mean_of(const float4* mean, float w0, float w1, float w2) {
  const float4 a = mean[0], b = mean[1], c = mean[2];
  return {w0 * a.x + w1 * b.x + w2 * c.x, w0 * a.y + w1 * b.y + w2 * c.y, w0 * a.z + w1 * b.z + w2 * c.z, w0 * a.w + w1 * b.w + w2 * c.w};
}
