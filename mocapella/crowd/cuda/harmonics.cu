// ---------------------------------------------------------------- harmonics
// A basis: the numbers of a character that its coefficients are multiplied by, in pairs. First come its weights (w0, w1) and
// (w2, 0), for the means; then, harmonic by harmonic and corner by corner, the weight times cosine and sine. Eight pairs are
// a tile, which the tensor cores take in one step: pairs 0 to 3 are the first numbers of threads 0 to 3, pairs 4 to 7 the
// second. Tiles lie in shared memory as [block][eight characters][character and thread]. The first FINE tiles are as exact as
// single precision, each number as a half and what that leaves; the harmonics of the others are so small that halves do.
// Harmonics from FIRST on are there twice, as they are (for joints that move ankles) and with gains.
#define PAIRS_OF_ROWS (2 + 3 * HARMONICS)
#define GAINED (UPPER ? (3 * FIRST - 1) / 8 : TILES)  // the first tile with gains
#define TWICE (FINE > GAINED ? FINE - GAINED : 0)     // tiles that are both exact and gained: they take two blocks
#define BASIS ((TILES + TWICE) * 128)                 // uint4s of a basis of 32 characters
constexpr __host__ __device__ int block_of(int tile) { return tile + (tile > GAINED ? (tile < FINE ? tile : FINE > GAINED ? FINE : GAINED) - GAINED : 0); }
constexpr __host__ __device__ int tile_at(int tile) { return 32 * (tile < FINE ? 4 * tile : 2 * (tile + FINE)); }  // of coefficients, uint4s
#define EIGHT tile_at(TILES)                                  // uint4s of the coefficients of eight quaternions
#define LATE (EIGHT - tile_at(GAINED))                        // those with gains again, of the eight that are plain in part
#define SHARED_EIGHT (PLAIN % 32 && UPPER ? PLAIN / 32 : -1)  // which these are
#define ALL_COEFFICIENTS (EIGHTS * EIGHT + (SHARED_EIGHT < 0 ? 0 : LATE))

D int own_place(int lane) { return (lane & ~3) | ((lane ^ (lane >> 3)) & 3); }  // of a thread's numbers in a tile
struct Blend { float w0, w1, w2, turns; int harmonics; };
D float2 wave(const Blend& b, int k) {
  const float a = b.turns * k;
  float s, c;
  __sincosf(TAU * (a - rintf(a)), &s, &c);
  return k > b.harmonics ? make_float2(0.f, 0.f) : make_float2(c, s);
}
// by how much an upper harmonic grows so that a blend keeps its energy
D float gain_of(const float4* energies, const Blend& b, int k) {
  const float4 *e = energies + 3 * (k - FIRST), own = e[0], both = e[1];
  const float have = b.w0 * (own.x * b.w0 + 2.f * (own.w * b.w1 + both.x * b.w2)) + b.w1 * (own.y * b.w1 + 2.f * both.y * b.w2) + own.z * b.w2 * b.w2;
  const float want = b.w0 * both.z + b.w1 * both.w + b.w2 * e[2].x;
  return sqrtf(fminf(fmaxf(__fdividef(want, fmaxf(have, 1e-30f)), 1.f), 10.f));
}
// Tiles FROM to TO of the basis of the thread's character.
template <int FROM, int TO>
D void make_tiles(uint4* bases, const float4* energies, const Blend& b, int lane) {
  uint4* to = bases + 4 * lane;
  const int turn = (lane >> 1) & 3;
  float2 at = make_float2(0.f, 0.f);
  float gain = 1.f;
#pragma unroll
  for (int tile = FROM; tile < TO; ++tile) {
    unsigned high[8], low[8], more[8], less[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int pair = 8 * tile + j, k = (pair - 2) / 3 + 1, corner = (pair - 2) % 3;
      float x = 0.f, y = 0.f;
      if (pair < 2) {
        x = pair ? b.w2 : b.w0;
        y = pair ? 0.f : b.w1;
      } else if (pair < PAIRS_OF_ROWS) {
        if (corner == 0 || (tile == FROM && j == 0)) {
          at = wave(b, k);
          gain = UPPER && k >= FIRST ? gain_of(energies, b, k) : 1.f;
        }
        const float own = corner == 0 ? b.w0 : corner == 1 ? b.w1 : b.w2;
        x = own * at.x;
        y = own * at.y;
      }
      if (tile < FINE) split(x, y, high[j], low[j]);
      else high[j] = halves(x, y);
      if (tile >= GAINED) {
        if (tile < FINE) split(gain * x, gain * y, more[j], less[j]);
        else more[j] = halves(gain * x, gain * y);
      }
    }
#pragma unroll
    for (int t = 0; t < 4; ++t) {
      uint4* own = to + 128 * block_of(tile) + (t ^ turn);
      if (tile < FINE) *own = make_uint4(high[t], high[4 + t], low[t], low[4 + t]);
      else *own = tile < GAINED ? make_uint4(high[t], high[4 + t], 0u, 0u) : make_uint4(high[t], high[4 + t], more[t], more[4 + t]);
      if (tile < FINE && tile >= GAINED) own[128] = make_uint4(more[t], more[4 + t], less[t], less[4 + t]);
    }
  }
}
// A basis without weights: 1, then cosine and sine of each harmonic. It lies where quaternions will, and of 16 characters
// where a warp puts theirs.
D int foot_at(int tile, int character, int thread) {
  const int place = 4 * (character & 7) + (thread ^ ((character >> 1) & 3));
  return 32 * (4 * tile + 2 * ((character >> 3) & 1) + (place >> 4)) + (character & 16) + (place & 15);
}
template <int FROM, int TO>
D void make_foot_tiles(float4* stage, const Blend& b, int lane) {
#pragma unroll
  for (int tile = FROM; tile < TO; ++tile) {
    unsigned high[8], low[8];
#pragma unroll
    for (int j = 0; j < 8; ++j) {
      const int k = 8 * tile + j;
      const float2 at = k == 0 ? make_float2(1.f, 0.f) : k <= HARMONICS ? wave(b, k) : make_float2(0.f, 0.f);
      split(at.x, at.y, high[j], low[j]);
    }
#pragma unroll
    for (int t = 0; t < 4; ++t) ((uint4*)stage)[foot_at(tile, lane, t)] = make_uint4(high[t], high[4 + t], low[t], low[4 + t]);
  }
}
// How foot points move because the blend changes, seen from the root: the 8 numbers of 16 characters. A: those of corners 1
// and 2 less those of corner 0; mixed: weights of the thread's own character and their changes.
D void move_feet(float (*feet)[32], const uint4* A, const float4* stage, float4 mixed, int half, int lane) {
  const int t = lane & 3;
  float sum[2][4] = {};
#pragma unroll
  for (int tile = 0; tile < FOOT_TILES; ++tile) {
    const uint4 a = A[64 * tile + lane], less = A[64 * tile + 32 + lane];
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const uint4 b = ((const uint4*)stage)[foot_at(tile, 16 * half + 8 * n + (lane >> 2), t)];
      mma(sum[n], a, b.x, b.y);
      mma(sum[n], less, b.x, b.y);
      mma(sum[n], a, b.z, b.w);
    }
  }
#pragma unroll
  for (int n = 0; n < 2; ++n) {
    float out[2];
#pragma unroll
    for (int i = 0; i < 2; ++i) {
      const int character = 16 * half + 8 * n + 2 * t + i;
      out[i] = __shfl_sync(ALL, mixed.z, character) * sum[n][i] + __shfl_sync(ALL, mixed.w, character) * sum[n][2 + i];
    }
    *(float2*)&feet[lane >> 2][16 * half + 8 * n + 2 * t] = make_float2(out[0], out[1]);
  }
  __syncwarp();
}
// Products of a tile of coefficients (16 numbers of eight quaternions, twice) with 16 characters.
D void multiply(float (*sum)[2][4], const uint4* A, const unsigned (*high)[2], const unsigned (*low)[2], bool fine, int lane) {
  const uint4 one = A[lane], other = A[fine ? 64 + lane : 32 + lane];
#pragma unroll
  for (int n = 0; n < 2; ++n) { mma(sum[0][n], one, high[n][0], high[n][1]); mma(sum[1][n], other, high[n][0], high[n][1]); }
  if (fine) {
    const uint4 less = A[32 + lane], rest = A[96 + lane];
#pragma unroll
    for (int n = 0; n < 2; ++n) { mma(sum[0][n], less, high[n][0], high[n][1]); mma(sum[1][n], rest, high[n][0], high[n][1]); }
#pragma unroll
    for (int n = 0; n < 2; ++n) { mma(sum[0][n], one, low[n][0], low[n][1]); mma(sum[1][n], other, low[n][0], low[n][1]); }
  }
}
// Some eights of quaternions of 16 characters, put where they are staged: coefficients times a basis.
template <int SOME>
D void mix(float4* stage, const uint4* coefficients, const uint4* bases, int eight, int to, int half, int lane) {
  float sum[SOME][2][2][4] = {};
  const uint4 *late = coefficients + EIGHTS * EIGHT - tile_at(GAINED), *B = bases + 64 * half + own_place(lane);
#pragma unroll
  for (int tile = 0; tile < TILES; ++tile) {
    unsigned b[2][2], low[2][2], more[2][2], less[2][2];
#pragma unroll
    for (int n = 0; n < 2; ++n) {
      const uint4 own = B[128 * block_of(tile) + 32 * n], gained = tile < FINE && tile >= GAINED ? B[128 * block_of(tile) + 128 + 32 * n] : own;
      b[n][0] = own.x; b[n][1] = own.y; low[n][0] = own.z; low[n][1] = own.w;
      more[n][0] = tile < FINE ? gained.x : own.z; more[n][1] = tile < FINE ? gained.y : own.w; less[n][0] = gained.z; less[n][1] = gained.w;
    }
#pragma unroll
    for (int e = 0; e < SOME; ++e) {
      const int own = eight + e;
      const uint4* A = coefficients + own * EIGHT + tile_at(tile);
      const bool plain = own <= SHARED_EIGHT || 32 * own + 32 <= PLAIN || !UPPER;
      if (tile < GAINED || plain) multiply(sum[e], A, b, low, tile < FINE, lane);
      else multiply(sum[e], A, more, less, tile < FINE, lane);
      if (tile >= GAINED && own == SHARED_EIGHT) multiply(sum[e], late + tile_at(tile), more, less, tile < FINE, lane);
    }
  }
  const int g = lane >> 2, t = lane & 3;
#pragma unroll
  for (int e = 0; e < SOME; ++e) {
    float4* own = stage + 32 * (8 * (to + e) + g) + 16 * half + 2 * t;
#pragma unroll
    for (int n = 0; n < 2; ++n)
#pragma unroll
      for (int i = 0; i < 2; ++i) own[8 * n + (i ^ (g & 1))] = make_float4(sum[e][0][n][i], sum[e][0][n][2 + i], sum[e][1][n][i], sum[e][1][n][2 + i]);
  }
}
// quaternions of all 32 characters lie next to each other; odd ones swap neighbours, so that banks do not collide
D int staged(int quad, int character) { return 32 * quad + (character ^ (quad & 1)); }
D Q quad_of(const float4* stage, int quad, int lane) {
  const float4 a = stage[staged(quad, lane)];
  return {a.x, a.y, a.z, a.w};
}
D void put_quad(float4* stage, int quad, int lane, Q q) { stage[staged(quad, lane)] = make_float4(q.w, q.x, q.y, q.z); }
// the mean of a blend, for joints that are not drawn at a level of detail
__device__ __noinline__ Q mean_of(const float4* mean, float w0, float w1, float w2) {
  const float4 a = mean[0], b = mean[1], c = mean[2];
  return {w0 * a.x + w1 * b.x + w2 * c.x, w0 * a.y + w1 * b.y + w2 * c.y, w0 * a.z + w1 * b.z + w2 * c.z, w0 * a.w + w1 * b.w + w2 * c.w};
}
