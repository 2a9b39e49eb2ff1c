// The crowd core: one step of many characters, lane by lane what mocapella/crowd/step.py does array by array.
#include "crowd_legs.h"
#include "crowd_plants.h"
#include "crowd_points.h"
#define API extern "C" __attribute__((visibility("default")))

#if defined(CROWD_THREADS)
extern "C" void crowd_share(int threads, void (*work)(void*, int, int), void* job);
#endif

namespace {
// ---------------------------------------------------------------- synthesis
// Where poses will be written, fetched into the cache line by line while they are worked out: `each` lines for each row
// of coefficients, so that they come as evenly as they can. WebAssembly cannot ask for a line without waiting for it, but
// no processor waits for a number that is not used: it reads one of every row's next line before each tile.
struct Ahead {
  float* const* rows;
  int end, at = 0;  // floats of a row
#if defined(__wasm__)
  Ahead(float* const* rows, int floats, int) : rows(rows), end(floats) {}
  inline __attribute__((always_inline)) void fetch() {}
  inline __attribute__((always_inline)) void touch() {
    if (at >= end) return;
    for (int lane = 0; lane < LANES; ++lane) (void)*(const volatile float*)(rows[lane] + at);
    at += 16;
  }
#else
  int each, lane = 0;  // of which row
  Ahead(float* const* rows, int floats, int calls) : rows(rows), end(floats), each((LANES * floats / 16 + calls / 2) / calls) {
    if (each < 1) each = 1;
  }
  inline __attribute__((always_inline)) void touch() {}
  inline __attribute__((always_inline)) void fetch() {
    for (int k = 0; k < each && at < end; ++k) {
      __builtin_prefetch(rows[lane] + at, 1, 2);
      if (++lane == LANES) { lane = 0; at += 16; }
    }
  }
#endif
};
// Columns of a blend: the sums of corners, whose waves are the same ones, by the corners' weights.
struct Part { const v *waves, *weights; int K, from, to; };  // K: rows, of which the first one is the mean
template <int DT>
INL void synth_tile(const float* const* C, int stride, const Part& part, int d0, float* pose, Ahead& ahead) {
  pose += d0 * LANES;
  for (int m = 0; m < 3; ++m) {
    const float* c = C[m] + d0;
    v sum[DT][NB];
#pragma GCC unroll 16
    for (int i = 0; i < DT; ++i)
#pragma GCC unroll 4
      for (int n = 0; n < NB; ++n) sum[i][n] = bc(c[i]);
    const v* e = part.waves;
    for (const v* end = e + (part.K - 1) * NB; e != end; e += NB) {
      c += stride;
      ahead.fetch();
#pragma GCC unroll 16
      for (int i = 0; i < DT; ++i) {
        const v cc = bc(c[i]);
#pragma GCC unroll 4
        for (int n = 0; n < NB; ++n) sum[i][n] += cc * e[n];
      }
    }
    const v* w = part.weights + m * NB;
#pragma GCC unroll 16
    for (int i = 0; i < DT; ++i)
#pragma GCC unroll 4
      for (int n = 0; n < NB; ++n) {
        float* to = pose + (i * NB + n) * W;
        st(to, m ? ld(to) + w[n] * sum[i][n] : w[n] * sum[i][n]);
      }
  }
}
// Columns [from, to), a multiple of four, of K waves: as many at once as registers hold. For WebAssembly a function of
// its own: engines keep what a large function needs in memory, also in its innermost loops.
#if defined(__wasm_simd128__)
constexpr int DT = NB == 1 ? 12 : 4;  // products need registers of their own before they are added
__attribute__((noinline))
#else
constexpr int DT = NB == 1 || W == 16 ? 12 : 6;
inline __attribute__((always_inline))
#endif
void synth(const float* const* C, int stride, const Part& part, float* pose, Ahead& ahead) {
  int d = part.from;
  for (; d + 12 <= part.to; d += 12)
    for (int k = 0; k < 12; k += DT) {
      ahead.touch();
      synth_tile<DT>(C, stride, part, d + k, pose, ahead);
    }
  if (DT == 12 && d + 8 <= part.to) { synth_tile<8>(C, stride, part, d, pose, ahead); d += 8; }
  for (; d < part.to; d += 4) synth_tile<4>(C, stride, part, d, pose, ahead);
}

// The same for one character alone: its columns take the lanes, in tiles of T times four.
template <int T>
INL void synth_alone_tile(const float* const* C, int stride, const Part& part, int d0, float* pose) {
  v4 sum[3][T];  // of each corner: there are more of them than one processor's latency needs
#pragma GCC unroll 3
  for (int m = 0; m < 3; ++m)
#pragma GCC unroll 8
    for (int i = 0; i < T; ++i) sum[m][i] = *(const v4l*)(C[m] + d0 + 4 * i);
  for (int k = 1; k < part.K; ++k) {
    const v4 wave = part.waves[(k - 1) * NB][0] - v4{};
#pragma GCC unroll 3
    for (int m = 0; m < 3; ++m) {
      const float* c = C[m] + k * stride + d0;
#pragma GCC unroll 8
      for (int i = 0; i < T; ++i) sum[m][i] += wave * *(const v4l*)(c + 4 * i);
    }
  }
  const v* w = part.weights;
#pragma GCC unroll 8
  for (int i = 0; i < T; ++i) {
    const v4 all = w[0][0] * sum[0][i] + w[NB][0] * sum[1][i] + w[2 * NB][0] * sum[2][i];
    for (int k = 0; k < 4; ++k) st(pose + (d0 + 4 * i + k) * LANES, bc(all[k]));
  }
}
INL void synth_alone(const float* const* C, int stride, const Part& part, float* pose) {
  int d = part.from;
  for (; d + 16 <= part.to; d += 16) synth_alone_tile<4>(C, stride, part, d, pose);
  for (; d < part.to; d += 4) synth_alone_tile<1>(C, stride, part, d, pose);
}

// ---------------------------------------------------------------- LANES characters of one triangle
struct Job { const Tables* N; const Step* S; float *records, *poses; Scratch from; const int *rows, *order, *blocks; int n_rows, next; };

// The gaits of W blends of a triangle: each linear in its cell of the triangle's lattice, number by number.
INL void mix_gaits(const Tables& N, int tri, const v* w, float* out) {
  const int vertices = (N.parts + 1) * (N.parts + 2) / 2, last_part = N.parts - 1;
  const v parts = bc((float)N.parts), one = bc(1.f);
  v b = w[2] * parts, a = vmax((w[1] + w[2]) * parts, b);
  vi i = vround_int(vfloor(a)), j = vround_int(vfloor(b));
  i = i < last_part ? i : bi(last_part);
  i = i > 0 ? i : vi{};  // what is no number points at something all the same
  j = j < i ? j : i;
  j = j > 0 ? j : vi{};
  a = vmin(a - __builtin_convertvector(i, v), one);
  b = vmin(b - __builtin_convertvector(j, v), one);
  const vi upper = (a >= b) | (i == j);
  const vi base = ((i * (i + 1)) >> 1) + j, last = (((i + 1) * (i + 2)) >> 1) + j + 1, middle = upper ? last - 1 : base + 1;
  const v small = upper ? vmin(a, b) : a, large = upper ? a : b;
  alignas(64) int at[3][W];
  alignas(64) float share[3][W], mixed[W][MOST_ROW + W];
  *(vi*)at[0] = base * N.row;
  *(vi*)at[1] = middle * N.row;
  *(vi*)at[2] = last * N.row;
  st(share[0], one - large);
  st(share[1], large - small);
  st(share[2], small);
  const float *table = N.gait + (long)tri * vertices * N.row, *rows[W];
  for (int l = 0; l < W; ++l) {
    const float *g0 = table + at[0][l], *g1 = table + at[1][l], *g2 = table + at[2][l];
    const v s0 = bc(share[0][l]), s1 = bc(share[1][l]), s2 = bc(share[2][l]);
    rows[l] = mixed[l];
    for (int k = 0;; k += W) {
      k = k + W < N.row ? k : N.row - W;  // the last ones overlap those before
      st(mixed[l] + k, s0 * ld(g0 + k) + s1 * ld(g1 + k) + s2 * ld(g2 + k));
      if (k + W == N.row) break;
    }
  }
  for (int k = 0; k < N.row; k += 4) load_row4(rows, k, (v*)(out + k * W));
}

// LANES characters of one triangle; where there are fewer, the first one is worked out again and again.
void block(const Job& J, int tri, const int* lane, int n_live) {
  const Tables& N = *J.N;
  const Step& S = *J.S;
  const int H = S.harmonics, K = 2 * H + 1, KN = 2 * N.harmonics + 1, U = N.harmonics - N.first + 1;
  alignas(64) v waves[KMAX * NB], gained[KMAX * NB], weights[3 * NB], changes[3 * NB];
  alignas(64) float pose[(4 * MOST_JOINTS + 16) * LANES], row[NB][(MOST_ROW + 4) * W], state[NB][WORDS * W];
  float *records[LANES], *poses[LANES];
  const float* C[3];
  const float* E[3];
  for (int m = 0; m < 3; ++m) {
    const int node = N.triangle[3 * tri + m];
    C[m] = N.coefficients + (long)node * KN * N.stride;
    E[m] = N.energy + (long)node * (U > 0 ? U : 0);
  }
  const float *G = N.product + (long)tri * (U > 0 ? U : 0) * 6, *map = N.map + 9 * tri;
  v phase[NB], rate[NB];
  bool moves = false;
  for (int b = 0; b < NB; ++b) {
    alignas(64) float moved[2][W];
    for (int l = 0; l < W; ++l) {
      const int i = lane[b * W + l < n_live ? b * W + l : 0];
      records[b * W + l] = J.records + (long)J.rows[i] * WORDS;
      poses[b * W + l] = J.poses + (long)J.rows[i] * N.joints * 12;
      moved[0][l] = J.from.dx[i];
      moved[1][l] = J.from.dy[i];
    }
    for (int k = 0; k < WORDS; k += 4) load_row4(records + b * W, k, (v*)(state[b] + k * W));
    const v x = ld(state[b] + POINT * W), y = ld(state[b] + (POINT + 1) * W), dx = ld(moved[0]), dy = ld(moved[1]);
    v w[3], dw[3];
    for (int k = 0; k < 3; ++k) {
      w[k] = vmax(bc(map[3 * k]) + bc(map[3 * k + 1]) * x + bc(map[3 * k + 2]) * y, v{});
      const v change = bc(map[3 * k + 1]) * dx + bc(map[3 * k + 2]) * dy;
      dw[k] = vabs(change) < bc(1e3f) ? change : v{};
    }
    const v all = bc(1.f) / (w[0] + w[1] + w[2]);
    for (int k = 0; k < 3; ++k) w[k] *= all;
    moves |= any((dw[0] != v{}) | (dw[1] != v{}) | (dw[2] != v{}));
    mix_gaits(N, tri, w, row[b]);
    rate[b] = bc(TAU) / ld(row[b] + DURATION * W);
    v ph = ld(state[b] + PHASE * W) + rate[b] * bc(S.dt);
    ph = ph - bc(TAU) * vfloor(ph * bc(PER_TAU));
    st(state[b] + PHASE * W, ph);
    phase[b] = ph;
    v s, c;
    sincosv(ph - ld(row[b] + LATENESS * W), s, c);
    v ck = c, sk = s;
    for (int m = 0; m < 3; ++m) {
      weights[m * NB + b] = w[m];
      changes[m * NB + b] = dw[m];
    }
    for (int k = 1; k <= H; ++k) {
      v gain = bc(1.f);
      if (k >= N.first) {
        const int u = k - N.first;
        const float* g = G + 6 * u;
        const v have = w[0] * (bc(g[0]) * w[0] + bc(2.f) * (bc(g[3]) * w[1] + bc(g[4]) * w[2])) + w[1] * (bc(g[1]) * w[1] + bc(2.f * g[5]) * w[2]) + bc(g[2]) * w[2] * w[2];
        const v want = w[0] * bc(E[0][u]) + w[1] * bc(E[1][u]) + w[2] * bc(E[2][u]);
        gain = vsqrt(vmin(vmax(want / vmax(have, bc(1e-30f)), bc(1.f)), bc(10.f)));
      }
      const int at = 2 * (k - 1) * NB + b;
      waves[at] = ck;
      waves[at + NB] = sk;
      gained[at] = gain * ck;
      gained[at + NB] = gain * sk;
      const v t = ck * c - sk * s;
      sk = ck * s + sk * c;
      ck = t;
    }
  }
  // upper harmonics of joints that move no ankle keep their energy; joints beyond the level of detail keep their mean
  const Part parts[] = {
      {waves, weights, K, 0, N.n_plain}, {gained, weights, K, N.n_plain, S.columns}, {waves, weights, 1, S.columns, N.n_columns},
      {waves, changes, K, N.n_columns, N.n_columns + (moves ? 8 : 0)}};
  Ahead ahead(poses, 12 * N.joints, 3 * K * ((S.columns + 8 + DT - 1) / DT));
  for (const Part& part : parts)
    if (n_live == 1) synth_alone(C, N.stride, part, pose);
    else synth(C, N.stride, part, pose, ahead);

  for (int b = 0; b < NB; ++b) {
    if (b * W >= n_live) break;
    float* const* to = poses + b * W;  // fetched while poses are worked out
    float* own = state[b];
    float* r = row[b];
    auto dof = [&](int d) -> v { return ld(pose + (d * NB + b) * W); };
    auto get = [&](int f) -> v { return ld(own + f * W); };
    auto bits = [&](int f) -> vi { return (vi)ld(own + f * W); };
    auto put = [&](int f, v x) { st(own + f * W, x); };
    const v one = bc(1.f), zero = v{};
    // ---- noise
    if (S.noise > 0.f)
      for (int ch = 0; ch < N.n_noisy; ++ch) {
        v q[3];
        vu id;
        for (int l = 0; l < W; ++l) id[l] = (unsigned)J.rows[lane[b * W + l < n_live ? b * W + l : 0]];
        for (int a = 0; a < 3; ++a) {
          const vu h = hashed(id * 0x9E3779B1u + (unsigned)(3 * ch + a) * 0x85EBCA77u);
          v time = bc(S.between) + __builtin_convertvector((vi)(h >> 8), v) * bc(5.9604644775390625e-8f);
          const vi carry = (time >= one) & 1;
          time = time - __builtin_convertvector(carry, v);
          const vu at = ((unsigned)S.beat + (vu)carry) * 0xC2B2AE3Du + h;
          const v g0 = __builtin_convertvector((vi)hashed(at), v) * bc(4.656612873077393e-10f);
          const v g1 = __builtin_convertvector((vi)hashed(at + 0xC2B2AE3Du), v) * bc(4.656612873077393e-10f);
          const v fade = time * time * time * (time * (time * bc(6.f) - bc(15.f)) + bc(10.f));
          const v low = g0 * time, high = g1 * (time - one);
          q[a] = bc(.5f * S.noise) * ((low + fade * (high - low)) * bc(1.14f));
        }
        const int d = N.noisy[ch];
        const v w = dof(d), x = dof(d + 1), y = dof(d + 2), z = dof(d + 3);
        st(pose + (d * NB + b) * W, w - (x * q[0] + y * q[1] + z * q[2]));
        st(pose + ((d + 1) * NB + b) * W, x + w * q[0] + y * q[2] - z * q[1]);
        st(pose + ((d + 2) * NB + b) * W, y + w * q[1] + z * q[0] - x * q[2]);
        st(pose + ((d + 3) * NB + b) * W, z + w * q[2] + x * q[1] - y * q[0]);
      }
    // ---- travel
    const int root = N.n_plain - 4;
    v s, c;
    sincosv(phase[b], s, c);
    v ck = c, sk = s;
    v fore = ld(r + TRAVEL * W), side = ld(r + (TRAVEL + 9) * W);
    const v height = dof(root) + ld(r + LIFT * W) + ld(r + (LIFT + 1) * W) * c - ld(r + (LIFT + 2) * W) * s;
    for (int k = 0; k < 4; ++k) {
      fore += ld(r + (TRAVEL + 1 + 2 * k) * W) * ck + ld(r + (TRAVEL + 2 + 2 * k) * W) * sk;
      side += ld(r + (TRAVEL + 10 + 2 * k) * W) * ck + ld(r + (TRAVEL + 11 + 2 * k) * W) * sk;
      const v t = ck * c - sk * s;
      sk = ck * s + sk * c;
      ck = t;
    }
    const v ahead = dof(root + 1) + rate[b] * fore, left = dof(root + 2) + rate[b] * side, turning = dof(root + 3);
    const v half = bc(.5f * S.dt), yaw0 = get(YAW), yaw = yaw0 + half * (get(TURN) + turning);
    sincosv(bc(.5f) * (yaw0 + yaw), s, c);
    const v fo = half * (get(AHEAD) + ahead), si = half * (get(LEFT) + left);
    v z = get(Z) + (c * fo - s * si), x = get(X) + (s * fo + c * si);
    put(AHEAD, ahead); put(LEFT, left); put(TURN, turning);
    put(YAW, yaw - bc(TAU) * vround(yaw * bc(PER_TAU)));
    sincosv(yaw, s, c);
    const v per_rate = ld(r + DURATION * W) * bc(PER_TAU);
    const Clock t = {bc(S.dt), phase[b], rate[b], per_rate, turning * per_rate, c, s};
    // ---- the root makes way for feet that stand while the blend changes
    {
      v wa = zero, wl = zero, total = zero;
      if (moves)
        for (int q = 0; q < 4; ++q) {
          const v share = bearing(N, r, q, t);
          wa -= share * dof(N.n_columns + 2 * q);
          wl -= share * dof(N.n_columns + 2 * q + 1);
          total += share;
        }
      total = vmax(total, one);
      wa /= total;
      wl /= total;
      const float most = fmax_(N.set.root_shift_speed * S.dt, 1e-9f);
      const v limit = one / vsqrt(one + (wa * wa + wl * wl) / bc(most * most));
      const vi word = bits(OWED);
      const v unit_ = bc(1.f / 32768.f);
      const v ox = __builtin_convertvector((word << 16) >> 16, v) * unit_ + limit * (s * wa + c * wl);
      const v oz = __builtin_convertvector(word >> 16, v) * unit_ + limit * (c * wa - s * wl);
      const v made = bc(S.made), keep = bc((1.f - S.made) * 32768.f);
      x += made * ox;
      z += made * oz;
      const vi lo = vround_int(vmin(vmax(keep * ox, bc(-32768.f)), bc(32767.f)));
      const vi hi = vround_int(vmin(vmax(keep * oz, bc(-32768.f)), bc(32767.f)));
      put(OWED, (v)((lo & 0xffff) | (hi << 16)));
    }
    put(X, x); put(Z, z);
    // ---- forward kinematics
    M3 R[MOST_JOINTS];
    V3 T[MOST_JOINTS];
    auto local = [&](int j) -> M3 { const int d = N.column[j]; return matrix(dof(d), dof(d + 1), dof(d + 2), dof(d + 3)); };
    {
      const M3 L = local(0);
#pragma GCC unroll 3
      for (int k = 0; k < 3; ++k) {
        R[0].m[k] = c * L.m[k] + s * L.m[6 + k];
        R[0].m[3 + k] = L.m[3 + k];
        R[0].m[6 + k] = c * L.m[6 + k] - s * L.m[k];
      }
      T[0] = {x, height, z};
    }
    for (int j = 1; j < N.joints; ++j) {
      if (N.chain[0][j] >= 4 || N.chain[1][j] >= 4) continue;  // hangs on a foot, which goes where it is held first
      const int p = N.parent[j];
      hang(R[p], T[p], local(j), N.offset + 3 * j, R[j], T[j]);
    }
    // ---- feet
    vi marks = bits(MARKS);
    const vi before = marks, holds0 = bits(HOLDS), begun = ((marks >> BEGUN) & 1) == 1;
    vi holds = vi{}, planted = vi{};
    v strain = zero, stands[2], turned[2], sink[2], apart[2], lifted[2];
    Bend leg[2];
    Plant plant[4];
    Held held[4];
    Target target[2];
    for (int f = 0; f < 2; ++f) {
      const Leg& g = N.leg[f];
      leg[f].heel = T[g.ankle] + R[g.ankle] * vec(g.heel_at);
      leg[f].toe = T[g.ankle] + R[g.ankle] * vec(g.toe_at);
    }
    for (int q = 0; q < 4; ++q) {
      plant_of(N, r, q, t, ((before >> (2 * q)) & 3) != 0, plant[q]);
      if (S.dt > N.set.long_step) {
        const vi again = (plant[q].since < bc(S.dt - N.set.long_step) * rate[b]) & ~full_of(plant[q]);
        marks = again ? marks & ~(3 << (2 * q)) : marks;
      }
    }
    for (int f = 0; f < 2; ++f) {
      const Leg& g = N.leg[f];
      const Plant* p = plant + 2 * f;
      const v over_heel = leg[f].heel.y - bc(g.heel_height), over_toe = leg[f].toe.y - bc(g.toe_height);
      sole_of(N, p[0], p[1], over_heel - over_toe, stands[f], turned[f]);
      sink[f] = sink_of(N, p, vmin(over_heel, over_toe), rate[b]);
      const float rise = g.heel_height - g.toe_height;
      const v tilt = bc(rise) + stands[f];
      apart[f] = vsqrt(vmax(bc(g.flat_length * g.flat_length + rise * rise) - tilt * tilt, zero));
    }
    for (int i = 0; i < 2; ++i)  // heels, then toes: both feet by turns, since a point waits for the other one of its foot
      for (int f = 0; f < 2; ++f) {
        const int q = 2 * f + i, o = 2 * f + 1 - i;
        const Plant& other = plant[o];
        const V3 at = i ? leg[f].toe : leg[f].heel;
        const vi stays = (((marks >> (2 * o)) & 3) == PLACED) & (other.since < other.length) & (other.hold > zero);
        vi mark = (marks >> (2 * q)) & 3;
        const v last = __builtin_convertvector((holds0 >> (8 * q)) & 255, v) * bc(1.f / 255.f);
        v px = get(FEET + 2 * q), pz = get(FEET + 2 * q + 1);
        held[q] = hold_point(N, plant[q], t, at.x, at.z, px, pz, mark, begun, last, get(FEET + 2 * o), get(FEET + 2 * o + 1), stays, apart[f]);
        put(FEET + 2 * q, px);
        put(FEET + 2 * q + 1, pz);
        marks = (marks & ~(3 << (2 * q))) | (mark << (2 * q));
      }
    for (int f = 0; f < 2; ++f) {
      const Leg& g = N.leg[f];
      Held *h = held + 2 * f;
      const Target flat = {h[0].x, h[0].z, h[1].x, h[1].z, one, one, sink[f], turned[f]};
      V3 hg, tg;
      goals_of(g, leg[f].heel, leg[f].toe, flat, hg, tg);
      const v as = bc(g.ankle_share);
      const V3 moved = (one - as) * (hg - leg[f].heel) + as * (tg - leg[f].toe);
      const v shorter = length(T[g.ankle] + moved - T[g.hip]) - bc(float(foot::STRAIGHTEST) * g.length);
      const v down = (h[0].inside & h[1].inside) ? one - smooth_clipped(shorter * bc(1.f / float(foot::TOO_SHORT))) : one;
      h[0].x *= down; h[0].z *= down; h[0].hold *= down;
      const float loose = N.set.release_from, torn = N.set.release_at;
      v part = one;
      for (int i = 0; i < 2; ++i) {
        const v far = hypv(h[i].x, h[i].z);
        part = vmin(part, smooth_clipped((bc(torn) - far) * bc(1.f / (torn - loose))));
        strain = vmax(strain, h[i].inside ? far : zero);
        holds |= vround_int(clip01(h[i].hold) * bc(255.f)) << (8 * (2 * f + i));
      }
      const v hh = h[0].inside ? h[0].hold : vmin(h[0].hold, bc(FIRM)), th = h[1].inside ? h[1].hold : vmin(h[1].hold, bc(FIRM));
      target[f] = {part * h[0].x, part * h[0].z, part * h[1].x, part * h[1].z, part * hh, part * th, sink[f], part * turned[f]};
    }
    bend_legs(N, target, R, T, leg, local, lifted);
    for (int f = 0; f < 2; ++f) {
      const Plant* p = plant + 2 * f;
      const Held* h = held + 2 * f;
      constexpr float rests = float(1.0 - foot::ROLL);  // share of a plant before its foot may roll off
      const vi roll0 = p[0].since > bc(rests) * p[0].length, roll1 = p[1].since > bc(rests) * p[1].length;
      const vi rolling = ~((h[0].inside & ~roll0) | (h[1].inside & ~roll1)), in_plant = h[0].inside | h[1].inside;
      const int at = STANDING + 2 * f;
      const vi was = begun ? (marks >> at) & 3 : bi(DOWN);
      vi now = ((was == COMING) & (lifted[f] <= bc(N.set.down))) ? bi(DOWN) : was;
      now = ((was == DOWN) & rolling & (lifted[f] > bc(N.set.down))) ? bi(ROLLING) : now;
      now = (~in_plant | ((was == DOWN) & (lifted[f] > bc(N.set.lifted)) & ~rolling)) ? bi(COMING) : now;
      marks = (marks & ~(3 << at)) | (now << at);
      for (int i = 0; i < 2; ++i) planted |= (h[i].firm & (now == DOWN) & (h[i].hold > bc(FIRM)) & 1) << (2 * f + i);
    }
    const v give = smooth_clipped((bc(N.set.strain_to) - strain) * bc(1.f / (N.set.strain_to - N.set.strain_from)));
    marks = (marks & ((1 << GIVE) - 1)) | (1 << BEGUN) | (vround_int(give * bc(255.f)) << GIVE) | (planted << PLANTED);
    put(MARKS, (v)marks);
    put(HOLDS, (v)holds);
    // ---- out
    const vi origin = bits(ORIGIN);
    const v far_x = __builtin_convertvector((origin << 16) >> 16, v) * bc(64.f), far_z = __builtin_convertvector(origin >> 16, v) * bc(64.f);
    for (int k = PHASE; k < WORDS; k += 4) store_row4(get(k), get(k + 1), get(k + 2), get(k + 3), records + b * W, k);
    for (int j = 0; j < N.joints; ++j) {
      store_row4(R[j].m[0], R[j].m[1], R[j].m[2], T[j].x + far_x, to, 12 * j);
      store_row4(R[j].m[3], R[j].m[4], R[j].m[5], T[j].y, to, 12 * j + 4);
      store_row4(R[j].m[6], R[j].m[7], R[j].m[8], T[j].z + far_z, to, 12 * j + 8);
    }
  }
}

// the records of characters that come next, fetched while others are played
INL void fetch(const Job& J, int from) {
  const int to = from + LANES < J.n_rows ? from + LANES : J.n_rows;
  for (int k = from; k < to; ++k) {
    const int i = J.order[k];
    const float* r = J.records + (long)J.rows[i] * WORDS;
#if defined(__wasm__)
    (void)*(const volatile float*)r;  // as Ahead does
    (void)*(const volatile float*)(r + 16);
#else
    __builtin_prefetch(r, 1, 3);
    __builtin_prefetch(r + 16, 1, 3);
#endif
  }
}
// Blocks of characters of one triangle each, taken in small shares, so that no thread waits long for another.
void play(void* job, int, int parts) {
  Job& J = *(Job*)job;
  const int T = J.N->triangles, shares = parts > 1 ? 16 * parts : 1;
  int all = 0;
  for (int t = 0; t < T; ++t) all += (J.blocks[t + 1] - J.blocks[t] + LANES - 1) / LANES;
  for (;;) {
    const int share = __atomic_fetch_add(&J.next, 1, __ATOMIC_RELAXED);
    if (share >= shares) return;
    const int from = (int)((long long)all * share / shares), to = (int)((long long)all * (share + 1) / shares);
    int done = 0;
    for (int t = 0; t < T && done < to; ++t) {
      const int here = (J.blocks[t + 1] - J.blocks[t] + LANES - 1) / LANES;
      for (int k = from > done ? from - done : 0; k < here && done + k < to; ++k) {
        const int at = J.blocks[t] + k * LANES, left = J.blocks[t + 1] - at;
        fetch(J, at + LANES);
        block(J, t, J.order + at, left < LANES ? left : LANES);
      }
      done += here;
    }
  }
}

void shared_out(int threads, void (*work)(void*, int, int), void* job) {
#if defined(CROWD_THREADS)
  if (threads > 1) { crowd_share(threads, work, job); return; }
#endif
  (void)threads;
  work(job, 0, 1);
}

// What is wrong with tables, 0 where nothing is: sizes first, then what is used as an index.
int fault(const Tables* N, const Step* S) {
  if (!N || !S || N->abi != MOCAPELLA_ABI) return 1;
  if (N->joints < 1 || N->joints > MOST_JOINTS || N->harmonics < 0 || N->harmonics > MOST_HARMONICS) return 2;
  if (N->n_columns != 4 * N->joints + 4 || N->n_plain < 8 || N->n_plain > N->n_columns || N->n_plain % 4) return 3;
  if (N->stride < N->n_columns + 8 || N->stride > (1 << 16) || N->first < 1 || N->first > N->harmonics + 1) return 4;
  if (N->corners < 1 || N->corners > (1 << 20) || N->triangles < 1 || N->triangles > (1 << 20) || N->parts < 1 || N->parts > 64) return 5;
  if (N->n_plants < 1 || N->n_plants > MOST_PLANTS || N->row != PLANTS + N->n_plants * (4 * PLANT + 2 * SOLE) || N->row > MOST_ROW) return 6;
  if (N->n_noisy < 0 || N->n_noisy > MOST_NOISY) return 7;
  if (!N->coefficients || !N->triangle || !N->neighbour || !N->map || !N->point || !N->energy || !N->product || !N->seconds || !N->gait || !N->parent || !N->offset || !N->column || !N->chain[0] || !N->chain[1] || !N->noisy) return 8;
  const long long J = N->joints, K = 2 * N->harmonics + 1, C = N->corners, T = N->triangles, U = N->harmonics + 1 - N->first;
  const long long wanted[] = {C * K * N->stride, 3 * T, 3 * T, 9 * T, 2 * C, C * U, 6 * T * U, 3 * T, T * ((N->parts + 1) * (N->parts + 2) / 2) * N->row, J, 3 * J, J, J, J, N->n_noisy};
  for (int k = 0; k < 15; ++k)
    if (N->size[k] < wanted[k]) return 20;
  for (int j = 0; j < N->joints; ++j) {
    if (N->parent[j] < -1 || N->parent[j] >= j || (N->parent[j] < 0) != (j == 0)) return 9;
    const int d = N->column[j];
    if (d < 0 || d + 4 > N->n_columns || d % 4) return 10;
    for (int f = 0; f < 2; ++f)
      if (N->chain[f][j] < 0 || N->chain[f][j] > 5) return 11;
  }
  for (int k = 0; k < N->n_noisy; ++k)
    if (N->noisy[k] < N->n_plain || N->noisy[k] + 4 > N->n_columns) return 12;
  for (int f = 0; f < 2; ++f) {
    const Leg& g = N->leg[f];
    if (g.hip < 0 || g.hip >= N->joints || g.knee < 0 || g.knee >= N->joints || g.ankle < 0 || g.ankle >= N->joints || g.toe < -1 || g.toe >= N->joints) return 13;
  }
  for (int k = 0; k < 3 * N->triangles; ++k)
    if (N->triangle[k] < 0 || N->triangle[k] >= N->corners || N->neighbour[k] < -1 || N->neighbour[k] >= N->triangles) return 14;
  if (S->harmonics < 0 || S->harmonics > N->harmonics || S->columns < N->n_plain || S->columns > N->n_columns || S->columns % 4) return 15;
  if (!(S->dt >= 0.f) || !(S->dt < 1e9f)) return 16;
  return 0;
}
}  // namespace

API int crowd_width(void) { return LANES; }
API int crowd_sizes(int which) {
  const int sizes[] = {sizeof(Tables), sizeof(Step), sizeof(Leg), sizeof(Settings), MOCAPELLA_ABI, sizeof(Call)};
  return which >= 0 && which < 6 ? sizes[which] : -1;
}
API int crowd_run(const Call* c) {
  if (!c) return 18;
  return crowd_step(c->tables, c->step, c->records, c->goals, c->characters, c->rows, c->n_rows, c->poses, c->scratch, c->order, c->threads);
}
API int crowd_step(const Tables* N, const Step* S, float* records, const float* goals, int characters, const int* rows, int n_rows, float* poses, float* scratch, int* order, int threads) {
  if (const int wrong = fault(N, S)) return wrong;
  if (characters < 0 || n_rows < 0 || n_rows > characters) return 17;
  if (n_rows == 0) return 0;
  if (!records || !goals || !rows || !poses || !scratch || !order) return 18;
  for (int i = 0; i < n_rows; ++i)
    if (rows[i] < 0 || rows[i] >= characters) return 19;
  const int T = N->triangles;
  int *blocks = order + n_rows, *next = blocks + T + 1;
  if (n_rows < 64 * threads) threads = 1;  // waking another thread takes longer than that
  const Scratch between(scratch, n_rows);
  Moves moves = {N, S, records, goals, between, rows, n_rows};
  shared_out(threads, move_some, &moves);
  for (int t = 0; t <= T; ++t) blocks[t] = 0;
  for (int i = 0; i < n_rows; ++i) ++blocks[between.triangle[i] + 1];
  for (int t = 0; t < T; ++t) { blocks[t + 1] += blocks[t]; next[t] = blocks[t]; }
  for (int i = 0; i < n_rows; ++i) order[next[between.triangle[i]]++] = i;
  Job job = {N, S, records, poses, between, rows, order, blocks, n_rows, 0};
  shared_out(threads, play, &job);
  return 0;
}
