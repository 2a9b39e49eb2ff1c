// The crowd core: one step of many characters, lane by lane what mocapella/crowd/step.py does array by array.
#include "crowd.h"

#include "lanes.h"
#define INL_MEMBER inline __attribute__((always_inline))
#define API extern "C" __attribute__((visibility("default")))

#if defined(CROWD_THREADS)
extern "C" void crowd_share(int threads, void (*work)(void*, int, int), void* job);
#endif

namespace {
constexpr float TAU = 6.283185307179586f, PER_TAU = 0.15915494309189535f, FULL = TAU - 1e-4f, FIRM = .999f;
enum { POINT, SPEED = 2, PHASE = 4, X, Z, YAW, AHEAD, LEFT, TURN, OWED, FEET, MARKS = 20, HOLDS, ORIGIN, TRIANGLE };
enum { DURATION, LATENESS, LIFT, TRAVEL = 5, PLANTS = 23, PLANT = 9, SOLE = 5 };
constexpr int FREE = 0, PLACED = 1, LEAVING = 2, COMING = 0, DOWN = 1, ROLLING = 2;
constexpr int STANDING = 8, BEGUN = 12, GIVE = 16, PLANTED = 24;
constexpr int LANES = NB * W, KMAX = 2 * MOST_HARMONICS + 1;

INL int as_int(float x) { int i; __builtin_memcpy(&i, &x, 4); return i; }
INL float as_float(int i) { float x; __builtin_memcpy(&x, &i, 4); return x; }
INL v hypv(v a, v b) { return vsqrt(a * a + b * b); }
INL float fmin_(float a, float b) { return a < b ? a : b; }
INL float fmax_(float a, float b) { return a > b ? a : b; }

// ---------------------------------------------------------------- blending points
// Where a step's work is kept until characters are played, a number each: how far points went, and what they are
// sorted by.
struct Scratch {
  float *dx, *dy;
  int *key, *by_phase;
  Scratch(float* at, int n) : dx(at), dy(at + n), key((int*)(at + 2l * n)), by_phase((int*)(at + 3l * n)) {}
};
constexpr int SECTOR_BITS = 6, SECTORS = 1 << SECTOR_BITS;  // of the cycle, by which characters are sorted

struct Moves { const Tables* N; const Step* S; float* records; const float* goals; Scratch to; const int* rows; int n_rows; };

// The triangle that holds a point, from one nearby on; the last one tried where eight do not lead there.
INL int walk(const Tables& N, int t, float x, float y) {
  for (int steps = 0; steps < 8; ++steps) {
    const float* m = N.map + 9 * t;
    const int* n = N.neighbour + 3 * t;
    int corner = 0;
    float least = 0.f;
    for (int k = 0; k < 3; ++k) {
      const float w = m[3 * k] + m[3 * k + 1] * x + m[3 * k + 2] * y;
      if (n[k] >= 0 && w < least) { least = w; corner = k; }
    }
    if (!(least < -1e-6f)) break;
    t = n[corner];
  }
  return t;
}
// The nearest point of a triangle's edges, roughly: negative weights are left out. No number becomes the first corner.
INL void put_inside(const Tables& N, int t, float& x, float& y) {
  const float* m = N.map + 9 * t;
  float w[3], sum = 0.f;
  for (int k = 0; k < 3; ++k) {
    w[k] = fmax_(m[3 * k] + m[3 * k + 1] * x + m[3 * k + 2] * y, 0.f);
    sum += w[k];
  }
  const bool lost = !(sum > 1e-6f && sum < 1e6f);
  x = y = 0.f;
  for (int k = 0; k < 3; ++k) {
    const float* p = N.point + 2 * N.triangle[3 * t + k];
    const float share = lost ? (k == 0 ? 1.f : 0.f) : w[k] / sum;
    x += share * p[0];
    y += share * p[1];
  }
}
// W characters' points, from number `first` of the rows on; the first one again where there are fewer.
INL void move_points(const Moves& M, int first, int n) {
  const Tables& N = *M.N;
  const Step& S = *M.S;
  float* records[W];
  const float* maps[W];
  int triangle[W];
  alignas(64) float goal[2][W], second[3][W];
  for (int l = 0; l < W; ++l) {
    const int row = M.rows[first + (l < n ? l : 0)];
    records[l] = M.records + (long)row * WORDS;
    for (int k = 0; k < 2; ++k) goal[k][l] = M.goals[2l * row + k];
    const int t = as_int(records[l][TRIANGLE]);
    triangle[l] = t < 0 || t >= N.triangles ? 0 : t;
    maps[l] = N.map + 9 * triangle[l];
    for (int k = 0; k < 3; ++k) second[k][l] = N.seconds[3 * triangle[l] + k];
  }
  v own[4], marks[4], m[12];
  load_row4(records, POINT, own);
  load_row4(records, MARKS, marks);
  load_row4(maps, 0, m);
  load_row4(maps, 4, m + 4);
  load_row4(maps, 5, m + 8);  // from the sixth number on, of which only the ninth is new
  m[8] = m[11];
  const v one = bc(1.f), zero = v{}, tiny = bc(1e-12f), dt = bc(S.dt), furthest = bc(S.furthest);
  const v px = own[0], py = own[1], gx = ld(goal[0]), gy = ld(goal[1]);
  v wx = gx, wy = gy, vx = zero, vy = zero;
  if (S.stiffness != 0.f) {
    const v k = bc(S.stiffness), decay = bc(S.decay), ox = px - gx, oy = py - gy, qx = own[2] + k * ox, qy = own[3] + k * oy;
    wx = gx + (ox + qx * dt) * decay;
    wy = gy + (oy + qy * dt) * decay;
    vx = (own[2] - k * qx * dt) * decay;
    vy = (own[3] - k * qy * dt) * decay;
  }
  const v share = furthest / vmax(hypv(wx - px, wy - py), tiny);
  wx = share < one ? px + share * (wx - px) : wx;
  wy = share < one ? py + share * (wy - py) : wy;
  const v slow = vmin(one, furthest / vmax(hypv(vx, vy) * dt, tiny));
  vx *= slow;
  vy *= slow;
  const vi near = (hypv(wx - gx, wy - gy) < bc(1e-6f)) & (hypv(vx, vy) < bc(1e-3f));
  wx = near ? gx : wx;
  wy = near ? gy : wy;
  vx = near ? zero : vx;
  vy = near ? zero : vy;
  const v give = __builtin_convertvector(((vi)marks[0] >> GIVE) & 255, v) * bc(1.f / 255.f);
  const v ax = give * (wx - px), ay = give * (wy - py);
  v c[3];  // how much corners' weights would change, and how long players take for that
  for (int k = 0; k < 3; ++k) c[k] = vabs(m[3 * k + 1] * ax + m[3 * k + 2] * ay);
  const v s01 = ld(second[0]), s12 = ld(second[1]), s20 = ld(second[2]);
  const vi most0 = (c[0] >= c[1]) & (c[0] >= c[2]), most1 = c[1] >= c[2];
  const v needed = most0 ? c[1] * s01 + c[2] * s20 : most1 ? c[0] * s01 + c[2] * s12 : c[0] * s20 + c[1] * s12;
  const v part = vmin(one, bc(fmax_(S.dt, 1e-9f)) / vmax(needed, tiny));
  const vi arrived = (part >= one) & (give >= one) & (wx == gx) & (wy == gy);
  v x = arrived ? gx : px + part * ax, y = arrived ? gy : py + part * ay;
  vx = arrived ? zero : give * vx;
  vy = arrived ? zero : give * vy;
  v w[3];
  for (int k = 0; k < 3; ++k) w[k] = m[3 * k] + m[3 * k + 1] * x + m[3 * k + 2] * y;
  const v sum = w[0] + w[1] + w[2];
  const vi strays = ~((vmin(w[0], vmin(w[1], w[2])) >= bc(-1e-6f)) & (sum < bc(1e6f)));  // also where there is no number
  if (any(strays))
    for (int l = 0; l < W; ++l)
      if (strays[l]) {
        float at_x = x[l], at_y = y[l], left[3], least = 0.f;
        const int t = triangle[l] = walk(N, triangle[l], at_x, at_y);
        const float* own = N.map + 9 * t;
        bool lost = false;
        for (int k = 0; k < 3; ++k) {
          left[k] = own[3 * k] + own[3 * k + 1] * at_x + own[3 * k + 2] * at_y;
          least = fmin_(least, left[k]);
          lost |= !(left[k] < 1e6f);
        }
        if (least < -1e-6f || lost) {
          put_inside(N, t, at_x, at_y);
          x[l] = at_x; y[l] = at_y;
          vx[l] = vy[l] = 0.f;
        }
      }
  store_row4(x, y, vx, vy, records, POINT);
  alignas(64) float dx[W], dy[W];
  st(dx, x - px);
  st(dy, y - py);
  for (int l = 0; l < n; ++l) {
    records[l][TRIANGLE] = as_float(triangle[l]);
    M.to.dx[first + l] = dx[l];
    M.to.dy[first + l] = dy[l];
    const int sector = (int)(records[l][PHASE] * (SECTORS * PER_TAU));
    M.to.key[first + l] = (triangle[l] << SECTOR_BITS) | (sector & (SECTORS - 1));
  }
}
void move_some(void* job, int part, int parts) {
  const Moves& M = *(const Moves*)job;
  const int from = (int)((long long)M.n_rows * part / parts), to = (int)((long long)M.n_rows * (part + 1) / parts);
  for (int i = from; i < to; i += W) move_points(M, i, to - i < W ? to - i : W);
}

// ---------------------------------------------------------------- synthesis
// Where poses will be written, fetched into the cache line by line while they are worked out.
struct Ahead {
  float* const* rows;
  int at, end, lane;  // floats of a row, and of which row
  INL_MEMBER void fetch() {
    __builtin_prefetch(rows[lane] + at, 1, 2);
    if (++lane < LANES) return;
    lane = 0;
    at = at + 16 < end ? at + 16 : at;
  }
};
template <int DT>
INL void synth_tile(const float* const* C, int stride, const v* e, int K, int P, int d0, float* pose, Ahead& ahead) {
  v tot[DT][NB];
#pragma GCC unroll 16
  for (int i = 0; i < DT; ++i)
#pragma GCC unroll 4
    for (int n = 0; n < NB; ++n) tot[i][n] = v{};
  for (int m = 0; m < 3; ++m)
    for (int k = 0; k < P; ++k) {
      const float* c = C[m] + k * stride + d0;
      const v* eb = e + (m * K + k) * NB;
      ahead.fetch();
#pragma GCC unroll 16
      for (int i = 0; i < DT; ++i) {
        const v cc = bc(c[i]);
#pragma GCC unroll 4
        for (int n = 0; n < NB; ++n) tot[i][n] += cc * eb[n];
      }
    }
#pragma GCC unroll 16
  for (int i = 0; i < DT; ++i)
#pragma GCC unroll 4
    for (int n = 0; n < NB; ++n) st(pose + ((d0 + i) * NB + n) * W, tot[i][n]);
}
// Columns [from, to), a multiple of four, of P parts out of K that the basis has: as many at once as registers hold.
constexpr int DT = NB == 1 || W == 16 ? 12 : 6;
INL void synth(const float* const* C, int stride, const v* e, int K, int P, int from, int to, float* pose, Ahead& ahead) {
  int d = from;
  for (; d + 12 <= to; d += 12)
    for (int part = 0; part < 12; part += DT) synth_tile<DT>(C, stride, e, K, P, d + part, pose, ahead);
  if (DT == 12 && d + 8 <= to) { synth_tile<8>(C, stride, e, K, P, d, pose, ahead); d += 8; }
  for (; d < to; d += 4) synth_tile<4>(C, stride, e, K, P, d, pose, ahead);
}

// ---------------------------------------------------------------- foot plants
struct Clock { v dt, phase, rate, per_rate, turn, c, s; };  // per_rate: seconds a radian
// One plant of a foot point at this phase. early, late: how much is left of the ways in and out, 1 in the plant.
struct Plant { v start, length, per_approach, per_release, begin[2], end[2], low, sole[5], since, early, late, hold, firm; };
INL vi inside_of(const Plant& p) { return (p.since >= v{}) & (p.since < p.length); }
INL vi full_of(const Plant& p) { return p.length >= bc(FULL); }
INL v brake_of(const Plant& p) {
  const v zero = v{}, after = p.since - p.length;
  return p.firm * (p.since < zero ? p.since * p.early * p.early : after > zero ? after * p.late * p.late : zero);
}
INL v press_of(const Plant& p) {
  const v left = (p.length - p.since) / (bc(.3f) * vmax(p.length, bc(1e-6f)));
  return ((p.since < v{}) | full_of(p)) ? p.hold : p.firm * smooth_clipped(left);
}
INL v since_start(v phase, v start) {
  const v s = phase - start;
  return s - bc(TAU) * vfloor(s * bc(PER_TAU));
}
INL v firm_of(const Tables& N, v length, const Clock& t) {  // plants that are too short hold nothing
  return smooth_clipped(bc(2.f / N.set.shortest_plant) * length * t.per_rate - bc(1.f));
}
INL void find_plant(const Tables& N, const float* row, int point, int slot, const Clock& t, vi placed, Plant& p) {
  const float* at = row + (PLANTS + (point * N.n_plants + slot) * PLANT) * W;
  const v one = bc(1.f), zero = v{}, approach = ld(at + 2 * W);
  p.start = ld(at); p.length = ld(at + W); p.per_approach = one / approach; p.per_release = one / ld(at + 3 * W);
  for (int k = 0; k < 2; ++k) { p.begin[k] = ld(at + (4 + k) * W); p.end[k] = ld(at + (6 + k) * W); }
  p.low = ld(at + 8 * W);
  const v s = since_start(t.phase, p.start);
  p.since = ((s < bc(TAU) - approach) | (s < p.length)) ? s : s - bc(TAU);
  p.firm = firm_of(N, p.length, t);
  p.early = vmax(one + p.since * p.per_approach, zero);
  p.late = vmax(one - (p.since - p.length) * p.per_release, zero);
  p.hold = p.firm * (p.since < zero ? smooth(p.early) : p.since < p.length ? one : smooth(p.late));
  p.hold = ((p.since < p.length) | placed) ? p.hold : zero;
  const float* sole = row + (PLANTS + N.n_plants * 4 * PLANT + (point / 2 * N.n_plants + slot) * SOLE) * W;
  for (int k = 0; k < 5; ++k) p.sole[k] = point % 2 ? zero : ld(sole + k * W);
}
// The plant that holds a foot point most.
INL void plant_of(const Tables& N, const float* row, int point, const Clock& t, vi placed, Plant& best) {
  find_plant(N, row, point, 0, t, placed, best);
  for (int slot = 1; slot < N.n_plants; ++slot) {
    Plant p;
    find_plant(N, row, point, slot, t, placed, p);
    const vi more = p.hold > best.hold;
    v* a = (v*)&best;
    const v* b = (const v*)&p;
    for (unsigned k = 0; k < sizeof(Plant) / sizeof(v); ++k) a[k] = more ? b[k] : a[k];
  }
}
INL v bearing(const Tables& N, const float* row, int point, const Clock& t) {
  v out = v{};
  for (int slot = 0; slot < N.n_plants; ++slot) {
    const float* at = row + (PLANTS + (point * N.n_plants + slot) * PLANT) * W;
    const v start = ld(at), length = ld(at + W), s = since_start(t.phase, start), one = bc(1.f);
    const v over = vmax(vmin(bc(N.set.hand_over) * t.rate, bc(N.set.swing_share) * length), bc(1e-6f));
    const v ramp = smooth_clipped(vmin(s, length - s) / over);
    out = vmax(out, firm_of(N, length, t) * (length >= bc(FULL) ? one : ramp));
  }
  return out;
}

struct Held { v x, z, hold; vi inside, firm; };
INL Held hold_point(const Tables& N, const Plant& p, const Clock& t, v at_x, v at_z, v& px, v& pz, vi& mark, vi begun, v last, v ox, v oz, vi other_stands, v apart) {
  const v zero = v{}, one = bc(1.f);
  const vi found = p.hold > zero, full = full_of(p);
  const vi was_leaving = mark == LEAVING, was_placed = mark == PLACED;
  const vi inside = found & inside_of(p) & ~(was_leaving & (p.since >= bc(.5f) * p.length) & ~full);
  const vi early = found & (p.since < zero), after = found & (p.since >= p.length);
  const v gone = after ? p.since - p.length : p.since;
  const v angle = -t.turn * gone, ca = one - bc(.5f) * angle * angle;
  const v c = t.c * ca - t.s * angle, s = t.s * ca + t.c * angle;
  const v a = after ? p.end[0] : p.begin[0], l = after ? p.end[1] : p.begin[1];
  const v vx = s * a + c * l, vz = c * a - s * l;
  const v slope = bc(1.5f) * p.firm * (p.since < bc(.5f) * p.length ? p.per_approach : p.per_release);
  v quick = vmin(vmax(slope * t.rate, bc(N.set.hold_rate)), bc(N.set.steepest_hold_rate)) * t.dt;
  quick = found ? quick : bc(N.set.hold_rate) * t.dt;
  quick = begun ? quick : bc(2.f);
  const v fading = was_leaving ? vmax(last - quick, zero) : zero;
  const vi settling = inside & ~was_placed;
  const v back = full ? zero : vmin(p.since, t.rate * t.dt);
  v nx = at_x - back * vx + fading * px, nz = at_z - back * vz + fading * pz;
  const v gx = nx - ox, gz = nz - oz, reach = apart / vmax(hypv(gx, gz), bc(1e-6f));
  nx = other_stands ? ox + reach * gx : nx;
  nz = other_stands ? oz + reach * gz : nz;
  px = settling ? nx : px;
  pz = settling ? nz : pz;
  const vi leaving = ~inside & ~early & was_placed;
  const v late = after ? gone : zero;
  px = leaving ? px - at_x + late * vx : px;
  pz = leaving ? pz - at_z + late * vz : pz;
  const v fx = at_x - p.since * vx, fz = at_z - p.since * vz;
  const v away_x = px - fx, away_z = pz - fz;
  const vi kept = early & was_placed & (away_x * away_x + away_z * away_z <= bc(N.set.release_from * N.set.release_from));
  const v brake = brake_of(p), bx = brake * vx, bz = brake * vz;
  const v wanted = found ? p.hold : zero;
  const vi is_leaving = leaving | (~inside & was_leaving);
  v down = vmax(after ? vmin(wanted, last) : zero, last - quick);
  down = vmax(begun ? down : wanted, zero);
  const v up = vmin(wanted, last + quick), eased = up / vmax(wanted, bc(1e-6f));
  Held h;
  h.hold = is_leaving ? (early ? vmax(down, up) : down) : (inside | early) ? up : zero;
  h.x = inside ? up * (px - at_x) : zero;
  h.z = inside ? up * (pz - at_z) : zero;
  h.x = early ? eased * ((kept ? p.hold * away_x : zero) - bx) : h.x;
  h.z = early ? eased * ((kept ? p.hold * away_z : zero) - bz) : h.z;
  h.x += is_leaving ? down * px - (after ? bx : zero) : zero;
  h.z += is_leaving ? down * pz - (after ? bz : zero) : zero;
  mark = (inside | kept) ? bi(PLACED) : (is_leaving & (down > zero)) ? bi(LEAVING) : bi(FREE);
  h.inside = inside;
  h.firm = inside & (p.firm > bc(FIRM));
  return h;
}

INL void rocked(v tilt, float rocking, v& beyond) {
  const v x = vmin(vmax(tilt * bc(1.f / rocking), bc(-3.f)), bc(3.f)), q = x * x;
  beyond = tilt - bc(rocking) * (x * (bc(27.f) + q) / (bc(27.f) + bc(9.f) * q));
}
INL void sole_of(const Tables& N, const Plant& heel, const Plant& toe, v tilt, v& stands, v& turned) {
  const v zero = v{};
  vi both = (heel.hold > zero) & (toe.hold > zero);
  const vi heel_later = heel.since < toe.since;
  const v later = heel_later ? heel.since : toe.since;
  const v later_length = heel_later ? heel.length : toe.length, sooner_length = heel_later ? toe.length : heel.length;
  const v length = vmin(later_length, sooner_length - vabs(heel.since - toe.since));
  both &= length > zero;
  stands = heel.sole[0];
  v during;
  rocked(tilt - stands, N.set.rocking, during);
  during *= vmin(heel.firm, toe.firm);
  const vi same = (later < zero) | (later_length <= length + bc(1e-6f));
  const vi heel_last = same ? heel_later : ~heel_later;
  const v hold = heel_last ? heel.hold : toe.hold, brake = heel_last ? brake_of(heel) : brake_of(toe);
  const v before = later < zero ? heel.sole[1] : heel.sole[3], slope = later < zero ? heel.sole[2] : heel.sole[4];
  turned = ((later >= zero) & (later < length)) ? during : hold * before + brake * slope;
  stands = both ? stands : zero;
  turned = both ? turned : zero;
}
INL v sink_of(const Tables& N, const Plant* plants, v over, v rate) {
  const v zero = v{};
  v best = zero, longest = zero, sink = zero;
  for (int i = 0; i < 2; ++i) {
    const Plant& p = plants[i];
    const vi held = p.hold > zero;
    const v press = held ? press_of(p) : zero;
    const vi better = held & ((press > best) | ((press == best) & (p.since > longest)));
    const v landing = vmin(bc(N.set.touchdown) * rate, bc(N.set.touchdown_share) * p.length);
    const vi coming = (p.since < landing) & ~full_of(p);
    const v share = smooth_clipped(p.since / vmax(landing, bc(1e-6f)));
    const v lowered = coming ? p.low + share * (over - p.low) : over;
    sink = better ? press * lowered : sink;
    best = better ? press : best;
    longest = better ? p.since : longest;
  }
  return sink;
}

// ---------------------------------------------------------------- legs
struct Target { v hx, hz, tx, tz, heel_hold, toe_hold, sink, turned; };
INL void goals_of(const Leg& g, V3 heel, V3 toe, const Target& t, V3& heel_goal, V3& toe_goal) {
  const v one = bc(1.f), zero = v{}, hh = bc(g.heel_height), th = bc(g.toe_height);
  v hu = heel.y - hh - t.sink, tu = toe.y - th - t.sink;
  const v lower = vmin(hu, tu), tilt = hu - tu - t.turned;
  const vi tilted = t.turned != zero;
  hu = vmax(tilted ? lower + vmax(tilt, zero) : hu, zero);
  tu = vmax(tilted ? lower - vmin(tilt, zero) : tu, zero);
  const v fh = one - t.heel_hold, ft = one - t.toe_hold;
  heel_goal = {heel.x + (t.hx + fh * t.tx), hh + hu, heel.z + (t.hz + fh * t.tz)};
  toe_goal = {toe.x + (t.tx + ft * t.hx), th + tu, toe.z + (t.tz + ft * t.hz)};
}
template <class DOF>
INL v bend(const Tables& N, int f, M3* R, V3* T, V3 heel, V3 toe, const Target& t, DOF dof) {
  const Leg& g = N.leg[f];
  const v one = bc(1.f), zero = v{};
  V3 hg, tg;
  goals_of(g, heel, toe, t, hg, tg);
  M3 foot = between(toe - heel, tg - hg) * R[g.ankle];
  const v fh = t.heel_hold / (one - t.heel_hold + bc(1e-6f)), ft = t.toe_hold / (one - t.toe_hold + bc(1e-6f)), sum = fh + ft;
  const v share = sum > zero ? ft / vmax(sum, bc(1e-12f)) : bc(.5f);
  V3 to_heel = foot * vec(g.heel_at), to_toe = foot * vec(g.toe_at);
  V3 ankle = (one - share) * (hg - to_heel) + share * (tg - to_toe);
  const vi by_toe = share >= bc(.5f);
  const V3 hip = T[g.hip];
  const v now = length(T[g.ankle] - hip), more = length(ankle - hip) - now;
  if (any(more > bc(1e-6f))) {  // roll over a point of the foot so far that the leg need not stretch
    const V3 pivot_at = pick(by_toe, to_toe, to_heel);
    const v room = vmax(bc(.9999f * g.length) - now, bc(1e-5f)), part = vmin(vmax(more, zero) / room, bc(1e4f));
    const v far = vmin(vsqrt(vmin(t.hx * t.hx + t.hz * t.hz, t.tx * t.tx + t.tz * t.tz)) * bc(1.f / .06f), one);
    const v sharp = bc(1.5f) + bc(6.5f) * t.heel_hold * t.toe_hold * far;
    const v reach = now + more / vpow(one + vpow(part, sharp), one / sharp);
    const V3 pivot = ankle + pivot_at, to_hip = hip - pivot;
    const v short2 = dot(pivot_at, pivot_at), far2 = dot(to_hip, to_hip);
    const V3 square = cross(to_hip, pivot_at);
    const v size = length(square), both = vmax(vsqrt(short2 * far2), bc(1e-7f)), per_both = one / both;
    const vi rolls = (more > zero) & (size > bc(1e-7f));
    const v cn = -dot(pivot_at, to_hip) * per_both, sn = size * per_both;
    const v c = vmin(vmax(bc(.5f) * (short2 + far2 - reach * reach) * per_both, -one), one), s = vsqrt(vmax(one - c * c, zero));
    v angle = rolls ? vatan2(sn * c - cn * s, cn * c + sn * s) : zero;
    const v q = angle * bc(1.f / .45f), q2 = q * q, q6 = q2 * q2 * q2;
    if (any(q6 > bc(1e-8f))) angle = angle / vpow(one + q6, bc(1.f / 6.f));
    const V3 axis = pick(rolls, (one / vmax(size, bc(1e-12f))) * square, V3{one, zero, zero});
    v sa, ca;
    sincosv(angle, sa, ca);
    const M3 turn = about(axis, ca, sa);
    ankle = pick(rolls, pivot - turn * pivot_at, ankle);
    foot = turn * foot;
    to_heel = turn * to_heel;
    to_toe = turn * to_toe;
  }
  const v miss = vmin(share, one - share);
  const V3 missed = pick(by_toe, hg - to_heel, tg - to_toe) - ankle;
  ankle.x += miss * missed.x;
  ankle.z += miss * missed.z;
  v high;
  {  // two bones
    const V3 thigh = T[g.knee] - hip, shank = T[g.ankle] - T[g.knee], wanted = ankle - hip;
    const v u2 = dot(thigh, thigh), l2 = dot(shank, shank), upper = vsqrt(u2), lower = vsqrt(l2), far = length(wanted);
    const v reach = vmin(vmax(far, vabs(upper - lower) + bc(1e-6f)), bc(.9999f) * (upper + lower));
    V3 hinge = R[g.hip] * vec(g.hinge);
    hinge = unit(hinge - (dot(hinge, thigh) / u2) * thigh);
    const V3 own = cross(thigh, shank);
    const v size = length(own), along0 = dot(thigh, shank);
    v bent_share = smooth_clipped((vatan2(size, along0) - bc(0.08726646f)) * bc(1.f / 0.34906585f));
    bent_share = dot(hinge, own) > zero ? bent_share : zero;
    const V3 axis = unit((bent_share / vmax(size, bc(1e-9f))) * own + (one - bent_share) * hinge);
    const v along = along0, across = dot(thigh, cross(axis, shank)), per_both = one / vmax(hypv(along, across), bc(1e-9f));
    const v c1 = vmin(vmax(bc(.5f) * (reach * reach - u2 - l2) * per_both, -one), one), s1 = vsqrt(vmax(one - c1 * c1, zero));
    const v c0 = along * per_both, s0 = across * per_both;
    const M3 bent = about(axis, c0 * c1 - s0 * s1, s0 * c1 + c0 * s1);
    const M3 swing = between(thigh + bent * shank, wanted), folded = swing * bent;
    for (int j = 0; j < N.joints; ++j) {
      if (N.chain[f][j] == 1) R[j] = swing * R[j];
      if (N.chain[f][j] == 2) R[j] = folded * R[j];
    }
    R[g.ankle] = foot;
    high = far > reach ? (reach / vmax(far, bc(1e-9f)) - one) * wanted.y : zero;
  }
  const V3 ball = ankle + to_toe;
  const v height = high + vmin(ankle.y + to_heel.y - bc(g.heel_height), ball.y - bc(g.toe_height));
  auto hang = [&](int j) {
    const int p = N.parent[j];
    T[j] = T[p] + R[p] * vec(N.offset + 3 * j);
    if (N.chain[f][j] >= 4) { const int d = N.column[j]; R[j] = R[p] * matrix(dof(d), dof(d + 1), dof(d + 2), dof(d + 3)); }
  };
  for (int j = 0; j < N.joints; ++j)
    if (N.chain[f][j] && j != g.hip && N.chain[f][j] < 5) hang(j);
  if (g.toe >= 0) {
    const v per_size = bc(1.f / g.tip_length), up = ball.y - bc(g.toe_height);
    const V3 tip = R[g.toe] * vec(g.tip), across = R[g.ankle] * vec(g.across);
    const v level = across.y * dot(across, tip), hi = tip.y - level, ahead = across.z * tip.x - across.x * tip.z;
    const v reach = vmax(hypv(hi, ahead), bc(1e-6f));
    v upright = vatan2(ahead, hi);
    upright = upright < bc(-1.57079633f) ? upright + bc(TAU) : upright;
    const v flat = vacos(vmin(vmax((bc(g.tip_height - g.toe_height) - level) / reach, -one), one));
    v angle = upright - flat - bc(.35f) * vmax(up, zero) * per_size;
    const v past = vmax(angle + bc(.19f), zero);
    angle = angle < bc(.19f) ? bc(.25f / .19f) * past * past : angle;
    v s = smooth_clipped(bc(1.25f) - bc(.25f) * up * per_size);
    s *= smooth_clipped((bc(4.71238898f) - upright) * bc(1.f / 0.78539816f));
    v sa, ca;
    sincosv(s * angle, sa, ca);
    R[g.toe] = about(across, ca, sa) * R[g.toe];
  }
  for (int j = 0; j < N.joints; ++j)
    if (N.chain[f][j] == 5) hang(j);
  return height;
}

// ---------------------------------------------------------------- LANES characters of one triangle
struct Job { const Tables* N; const Step* S; float *records, *poses; Scratch from; const int *rows, *order, *blocks; int n_rows, next; };

// The gaits of W blends of a triangle: each linear in its cell of the triangle's lattice, number by number.
INL void mix_gaits(const Tables& N, int tri, const v* w, float* out) {
  const int vertices = (N.parts + 1) * (N.parts + 2) / 2, last_part = N.parts - 1;
  const v parts = bc((float)N.parts), one = bc(1.f);
  v b = w[2] * parts, a = vmax((w[1] + w[2]) * parts, b);
  vi i = __builtin_convertvector(a, vi), j = __builtin_convertvector(b, vi);
  i = i < last_part ? i : bi(last_part);
  j = j < i ? j : i;
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
  alignas(64) v e[3 * KMAX * NB], ef[3 * KMAX * NB], ed[3 * KMAX * NB], ew[3 * NB];
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
      e[m * K * NB + b] = ef[m * K * NB + b] = ew[m * NB + b] = w[m];
      ed[m * K * NB + b] = dw[m];
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
      for (int m = 0; m < 3; ++m) {
        const int at = (m * K + 2 * k - 1) * NB + b;
        e[at] = w[m] * ck;
        e[at + NB] = w[m] * sk;
        ef[at] = gain * e[at];
        ef[at + NB] = gain * e[at + NB];
        ed[at] = dw[m] * ck;
        ed[at + NB] = dw[m] * sk;
      }
      const v t = ck * c - sk * s;
      sk = ck * s + sk * c;
      ck = t;
    }
  }
  Ahead ahead = {poses, 0, 12 * N.joints, 0};
  synth(C, N.stride, e, K, K, 0, N.n_plain, pose, ahead);
  synth(C, N.stride, ef, K, K, N.n_plain, S.columns, pose, ahead);
  synth(C, N.stride, ew, 1, 1, S.columns, N.n_columns, pose, ahead);
  if (moves) synth(C, N.stride, ed, K, K, N.n_columns, N.n_columns + 8, pose, ahead);

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
      const vi lo = __builtin_convertvector(vround(vmin(vmax(keep * ox, bc(-32768.f)), bc(32767.f))), vi);
      const vi hi = __builtin_convertvector(vround(vmin(vmax(keep * oz, bc(-32768.f)), bc(32767.f))), vi);
      put(OWED, (v)((lo & 0xffff) | (hi << 16)));
    }
    put(X, x); put(Z, z);
    // ---- forward kinematics
    M3 R[MOST_JOINTS];
    V3 T[MOST_JOINTS];
    for (int j = 0; j < N.joints; ++j) {
      const int d = N.column[j], p = N.parent[j];
      const M3 L = matrix(dof(d), dof(d + 1), dof(d + 2), dof(d + 3));
      if (p < 0) {
#pragma GCC unroll 3
        for (int k = 0; k < 3; ++k) {
          R[j].m[k] = c * L.m[k] + s * L.m[6 + k];
          R[j].m[3 + k] = L.m[3 + k];
          R[j].m[6 + k] = c * L.m[6 + k] - s * L.m[k];
        }
        T[j] = {x, height, z};
      } else {
        R[j] = R[p] * L;
        T[j] = T[p] + R[p] * vec(N.offset + 3 * j);
      }
    }
    // ---- feet
    vi marks = bits(MARKS);
    const vi before = marks, holds0 = bits(HOLDS), begun = ((marks >> BEGUN) & 1) == 1;
    vi holds = vi{}, planted = vi{};
    v strain = zero;
    for (int f = 0; f < 2; ++f) {
      const Leg& g = N.leg[f];
      const V3 heel = T[g.ankle] + R[g.ankle] * vec(g.heel_at), toe = T[g.ankle] + R[g.ankle] * vec(g.toe_at);
      Plant p[2];
      for (int i = 0; i < 2; ++i) plant_of(N, r, 2 * f + i, t, ((before >> (2 * (2 * f + i))) & 3) != 0, p[i]);
      if (S.dt > N.set.long_step)
        for (int i = 0; i < 2; ++i) {
          const vi again = (p[i].since < bc(S.dt - N.set.long_step) * rate[b]) & ~full_of(p[i]);
          marks = again ? marks & ~(3 << (2 * (2 * f + i))) : marks;
        }
      const v over_heel = heel.y - bc(g.heel_height), over_toe = toe.y - bc(g.toe_height);
      v stands, turned;
      sole_of(N, p[0], p[1], over_heel - over_toe, stands, turned);
      const float rise = g.heel_height - g.toe_height;
      const v tilt = bc(rise) + stands, apart = vsqrt(vmax(bc(g.flat_length * g.flat_length + rise * rise) - tilt * tilt, zero));
      Held h[2];
      for (int i = 0; i < 2; ++i) {
        const int q = 2 * f + i, o = 2 * f + 1 - i;
        const vi stays = (((marks >> (2 * o)) & 3) == PLACED) & (p[1 - i].since < p[1 - i].length) & (p[1 - i].hold > zero);
        vi mark = (marks >> (2 * q)) & 3;
        const v last = __builtin_convertvector((holds0 >> (8 * q)) & 255, v) * bc(1.f / 255.f);
        v px = get(FEET + 2 * q), pz = get(FEET + 2 * q + 1);
        h[i] = hold_point(N, p[i], t, i ? toe.x : heel.x, i ? toe.z : heel.z, px, pz, mark, begun, last, get(FEET + 2 * o), get(FEET + 2 * o + 1), stays, apart);
        put(FEET + 2 * q, px);
        put(FEET + 2 * q + 1, pz);
        marks = (marks & ~(3 << (2 * q))) | (mark << (2 * q));
      }
      const v sink = sink_of(N, p, vmin(over_heel, over_toe), rate[b]);
      const Target flat = {h[0].x, h[0].z, h[1].x, h[1].z, one, one, sink, turned};
      V3 hg, tg;
      goals_of(g, heel, toe, flat, hg, tg);
      const v as = bc(g.ankle_share);
      const V3 moved = (one - as) * (hg - heel) + as * (tg - toe);
      const v shorter = length(T[g.ankle] + moved - T[g.hip]) - bc(.9999f * g.length);
      const v down = (h[0].inside & h[1].inside) ? one - smooth_clipped(shorter * bc(1.f / .03f)) : one;
      h[0].x *= down; h[0].z *= down; h[0].hold *= down;
      const float loose = N.set.release_from, torn = N.set.release_at;
      v part = one;
      for (int i = 0; i < 2; ++i) {
        const v far = hypv(h[i].x, h[i].z);
        part = vmin(part, smooth_clipped((bc(torn) - far) * bc(1.f / (torn - loose))));
        strain = vmax(strain, h[i].inside ? far : zero);
        holds |= __builtin_convertvector(vround(clip01(h[i].hold) * bc(255.f)), vi) << (8 * (2 * f + i));
      }
      const v hh = h[0].inside ? h[0].hold : vmin(h[0].hold, bc(FIRM)), th = h[1].inside ? h[1].hold : vmin(h[1].hold, bc(FIRM));
      const Target target = {part * h[0].x, part * h[0].z, part * h[1].x, part * h[1].z, part * hh, part * th, sink, part * turned};
      const v lifted = bend(N, f, R, T, heel, toe, target, dof);
      const vi roll0 = p[0].since > bc(.7f) * p[0].length, roll1 = p[1].since > bc(.7f) * p[1].length;
      const vi rolling = ~((h[0].inside & ~roll0) | (h[1].inside & ~roll1)), in_plant = h[0].inside | h[1].inside;
      const int at = STANDING + 2 * f;
      const vi was = begun ? (marks >> at) & 3 : bi(DOWN);
      vi now = ((was == COMING) & (lifted <= bc(N.set.down))) ? bi(DOWN) : was;
      now = ((was == DOWN) & rolling & (lifted > bc(N.set.down))) ? bi(ROLLING) : now;
      now = (~in_plant | ((was == DOWN) & (lifted > bc(N.set.lifted)) & ~rolling)) ? bi(COMING) : now;
      marks = (marks & ~(3 << at)) | (now << at);
      for (int i = 0; i < 2; ++i) planted |= (h[i].firm & (now == DOWN) & (h[i].hold > bc(FIRM)) & 1) << (2 * f + i);
    }
    const v give = smooth_clipped((bc(N.set.strain_to) - strain) * bc(1.f / (N.set.strain_to - N.set.strain_from)));
    marks = (marks & ((1 << GIVE) - 1)) | (1 << BEGUN) | (__builtin_convertvector(vround(give * bc(255.f)), vi) << GIVE) | (planted << PLANTED);
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
    __builtin_prefetch(r, 1, 3);
    __builtin_prefetch(r + 16, 1, 3);
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

// Numbers of rows by the sector of the cycle that each is in, so that neighbours have their feet in the same state.
const int* sorted_by_phase(const Scratch& to, int n) {
  int at[SECTORS + 1] = {};
  for (int i = 0; i < n; ++i) ++at[(to.key[i] & (SECTORS - 1)) + 1];
  for (int k = 0; k < SECTORS; ++k) at[k + 1] += at[k];
  for (int i = 0; i < n; ++i) to.by_phase[at[to.key[i] & (SECTORS - 1)]++] = i;
  return to.by_phase;
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
  const int sizes[] = {sizeof(Tables), sizeof(Step), sizeof(Leg), sizeof(Settings), MOCAPELLA_ABI};
  return which >= 0 && which < 5 ? sizes[which] : -1;
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
  const int* in_order = sorted_by_phase(between, n_rows);
  for (int t = 0; t <= T; ++t) blocks[t] = 0;
  for (int i = 0; i < n_rows; ++i) ++blocks[(between.key[i] >> SECTOR_BITS) + 1];
  for (int t = 0; t < T; ++t) { blocks[t + 1] += blocks[t]; next[t] = blocks[t]; }
  for (int i = 0; i < n_rows; ++i) order[next[between.key[in_order[i]] >> SECTOR_BITS]++] = in_order[i];
  Job job = {N, S, records, poses, between, rows, order, blocks, n_rows, 0};
  shared_out(threads, play, &job);
  return 0;
}
