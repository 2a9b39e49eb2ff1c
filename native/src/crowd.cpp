// The crowd core: one step of many characters, lane by lane what mocapella/crowd/step.py does array by array.
#include "crowd.h"

#include "lanes.h"
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
INL float hyp(float a, float b) { return __builtin_sqrtf(a * a + b * b); }
INL float fmin_(float a, float b) { return a < b ? a : b; }
INL float fmax_(float a, float b) { return a > b ? a : b; }

// ---------------------------------------------------------------- blending points, one character at a time
INL void weights_of(const Tables& N, int t, float x, float y, float* w) {
  const float* m = N.map + 9 * t;
  for (int k = 0; k < 3; ++k) w[k] = m[3 * k] + m[3 * k + 1] * x + m[3 * k + 2] * y;
}
INL void move_point(const Tables& N, const Step& S, float* r, const float* goal, float* out) {
  const float px = r[POINT], py = r[POINT + 1], gx = goal[0], gy = goal[1];
  float wx = gx, wy = gy, vx = 0.f, vy = 0.f;
  if (S.stiffness != 0.f) {
    const float ox = px - gx, oy = py - gy;
    const float qx = r[SPEED] + S.stiffness * ox, qy = r[SPEED + 1] + S.stiffness * oy;
    wx = gx + (ox + qx * S.dt) * S.decay;
    wy = gy + (oy + qy * S.dt) * S.decay;
    vx = (r[SPEED] - S.stiffness * qx * S.dt) * S.decay;
    vy = (r[SPEED + 1] - S.stiffness * qy * S.dt) * S.decay;
  }
  const float share = fmin_(1.f, S.furthest / fmax_(hyp(wx - px, wy - py), 1e-12f));
  if (share < 1.f) { wx = px + share * (wx - px); wy = py + share * (wy - py); }
  const float slow = fmin_(1.f, S.furthest / fmax_(hyp(vx, vy) * S.dt, 1e-12f));
  vx *= slow; vy *= slow;
  const bool near = hyp(wx - gx, wy - gy) < 1e-6f && hyp(vx, vy) < 1e-3f;
  if (near) { wx = gx; wy = gy; vx = vy = 0.f; }
  const float give = ((as_int(r[MARKS]) >> GIVE) & 255) * (1.f / 255.f);
  const float ax = give * (wx - px), ay = give * (wy - py);
  int t = as_int(r[TRIANGLE]);
  if (t < 0 || t >= N.triangles) t = 0;
  const float* m = N.map + 9 * t;
  float c[3];
  for (int k = 0; k < 3; ++k) c[k] = __builtin_fabsf(m[3 * k + 1] * ax + m[3 * k + 2] * ay);
  const float* s = N.seconds + 3 * t;
  const float needed = c[0] >= c[1] && c[0] >= c[2] ? c[1] * s[0] + c[2] * s[2] : c[1] >= c[2] ? c[0] * s[0] + c[2] * s[1] : c[0] * s[2] + c[1] * s[1];
  const float part = fmin_(1.f, fmax_(S.dt, 1e-9f) / fmax_(needed, 1e-12f));
  float x = px + part * ax, y = py + part * ay;
  const bool arrived = part >= 1.f && give >= 1.f && wx == gx && wy == gy;
  if (arrived) { x = gx; y = gy; }
  r[SPEED] = arrived ? 0.f : give * vx;
  r[SPEED + 1] = arrived ? 0.f : give * vy;
  float w[3];
  weights_of(N, t, x, y, w);
  for (int walk = 0; walk < 8; ++walk) {
    const int* n = N.neighbour + 3 * t;
    int corner = 0;
    float least = 0.f;
    for (int k = 0; k < 3; ++k)
      if (n[k] >= 0 && w[k] < least) { least = w[k]; corner = k; }
    if (!(least < -1e-6f)) break;
    t = n[corner];
    weights_of(N, t, x, y, w);
  }
  const bool outside = fmin_(w[0], fmin_(w[1], w[2])) < -1e-6f;
  float sum = 0.f;
  for (int k = 0; k < 3; ++k) { w[k] = fmax_(w[k], 0.f); sum += w[k]; }
  const bool lost = !(sum > 1e-6f && sum < 1e6f);  // no number, or as good as none: back to a corner
  for (int k = 0; k < 3; ++k) w[k] = lost ? (k == 0 ? 1.f : 0.f) : w[k] / sum;
  if (outside || lost) {
    x = y = 0.f;
    for (int k = 0; k < 3; ++k) {
      const float* p = N.point + 2 * N.triangle[3 * t + k];
      x += w[k] * p[0];
      y += w[k] * p[1];
    }
    r[SPEED] = r[SPEED + 1] = 0.f;
  }
  r[POINT] = x; r[POINT + 1] = y; r[TRIANGLE] = as_float(t);
  m = N.map + 9 * t;
  for (int k = 0; k < 3; ++k) {
    out[k] = w[k];
    const float change = m[3 * k + 1] * (x - px) + m[3 * k + 2] * (y - py);
    out[3 + k] = __builtin_fabsf(change) < 1e3f ? change : 0.f;
  }
}

// ---------------------------------------------------------------- synthesis
template <int DT>
INL void synth_tile(const float* const* C, int stride, const v* e, int K, int P, int d0, float* pose) {
  v tot[DT][NB];
#pragma GCC unroll 16
  for (int i = 0; i < DT; ++i)
#pragma GCC unroll 4
    for (int n = 0; n < NB; ++n) tot[i][n] = v{};
  for (int m = 0; m < 3; ++m)
    for (int k = 0; k < P; ++k) {
      const float* c = C[m] + k * stride + d0;
      const v* eb = e + (m * K + k) * NB;
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
#if W == 16
constexpr int DT = NB == 1 ? 24 : 12;
#elif W == 8
constexpr int DT = NB == 1 ? 12 : 6;
#else
constexpr int DT = NB == 1 ? 12 : 6;
#endif
// columns [from, to) of P parts out of K that the basis has
INL void synth(const float* const* C, int stride, const v* e, int K, int P, int from, int to, float* pose) {
  int d = from;
  for (; d + DT <= to; d += DT) synth_tile<DT>(C, stride, e, K, P, d, pose);
  for (; d + 4 <= to; d += 4) synth_tile<4>(C, stride, e, K, P, d, pose);
  for (; d < to; ++d) synth_tile<1>(C, stride, e, K, P, d, pose);
}

// ---------------------------------------------------------------- foot plants
struct Clock { v dt, phase, rate, turn, c, s; float seconds; };
struct Plant { v start, length, approach, release, begin[2], end[2], low, sole[5], since, hold, firm; };
INL vi inside_of(const Plant& p) { return (p.since >= v{}) & (p.since < p.length); }
INL vi full_of(const Plant& p) { return p.length >= bc(FULL); }
INL v brake_of(const Plant& p) {
  const v one = bc(1.f), zero = v{};
  const v u = vmax(one + p.since / p.approach, zero), after = p.since - p.length, f = vmax(one - after / p.release, zero);
  return p.firm * (p.since < zero ? p.since * u * u : after > zero ? after * f * f : zero);
}
INL v press_of(const Plant& p) {
  const v left = (p.length - p.since) / (bc(.3f) * vmax(p.length, bc(1e-6f)));
  return ((p.since < v{}) | full_of(p)) ? p.hold : p.firm * smooth_clipped(left);
}
INL v since_start(v phase, v start) {
  const v s = phase - start;
  return s - bc(TAU) * vfloor(s * bc(PER_TAU));
}
INL Plant plant_of(const Tables& N, const float* row, int point, const Clock& t, vi placed) {
  Plant best;
  for (int slot = 0; slot < N.n_plants; ++slot) {
    const float* at = row + (PLANTS + (point * N.n_plants + slot) * PLANT) * W;
    Plant p;
    p.start = ld(at); p.length = ld(at + W); p.approach = ld(at + 2 * W); p.release = ld(at + 3 * W);
    for (int k = 0; k < 2; ++k) { p.begin[k] = ld(at + (4 + k) * W); p.end[k] = ld(at + (6 + k) * W); }
    p.low = ld(at + 8 * W);
    const v one = bc(1.f), zero = v{};
    const v s = since_start(t.phase, p.start);
    p.since = ((s < bc(TAU) - p.approach) | (s < p.length)) ? s : s - bc(TAU);
    p.firm = smooth_clipped(bc(2.f) * p.length / (bc(N.set.shortest_plant) * t.rate) - one);
    const v before = vmax(one + p.since / p.approach, zero), after = vmax(one - (p.since - p.length) / p.release, zero);
    p.hold = p.firm * (p.since < zero ? smooth(before) : p.since < p.length ? one : smooth(after));
    p.hold = ((p.since < p.length) | placed) ? p.hold : zero;
    const float* sole = row + (PLANTS + N.n_plants * 4 * PLANT + (point / 2 * N.n_plants + slot) * SOLE) * W;
    for (int k = 0; k < 5; ++k) p.sole[k] = point % 2 ? zero : ld(sole + k * W);
    if (slot == 0) { best = p; continue; }
    const vi more = p.hold > best.hold;
    v* a = (v*)&best;
    const v* b = (const v*)&p;
    for (unsigned k = 0; k < sizeof(Plant) / sizeof(v); ++k) a[k] = more ? b[k] : a[k];
  }
  return best;
}
INL v bearing(const Tables& N, const float* row, int point, const Clock& t) {
  v out = v{};
  for (int slot = 0; slot < N.n_plants; ++slot) {
    const float* at = row + (PLANTS + (point * N.n_plants + slot) * PLANT) * W;
    const v start = ld(at), length = ld(at + W), s = since_start(t.phase, start), one = bc(1.f);
    const v over = vmax(vmin(bc(N.set.hand_over) * t.rate, bc(N.set.swing_share) * length), bc(1e-6f));
    const v ramp = smooth_clipped(vmin(s, length - s) / over);
    const v firm = smooth_clipped(bc(2.f) * length / (bc(N.set.shortest_plant) * t.rate) - one);
    out = vmax(out, firm * (length >= bc(FULL) ? one : ramp));
  }
  return out;
}
INL v hypv(v a, v b) { return vsqrt(a * a + b * b); }

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
  const v slope = bc(1.5f) * p.firm / (p.since < bc(.5f) * p.length ? p.approach : p.release);
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
  const vi kept = early & was_placed & (hypv(px - fx, pz - fz) <= bc(N.set.release_from));
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
  h.x = early ? eased * ((kept ? p.hold * (px - fx) : zero) - bx) : h.x;
  h.z = early ? eased * ((kept ? p.hold * (pz - fz) : zero) - bz) : h.z;
  h.x += is_leaving ? down * px - (after ? bx : zero) : zero;
  h.z += is_leaving ? down * pz - (after ? bz : zero) : zero;
  mark = (inside | kept) ? bi(PLACED) : (is_leaving & (down > zero)) ? bi(LEAVING) : bi(FREE);
  h.inside = inside;
  h.firm = inside & (p.firm > bc(FIRM));
  return h;
}

INL void rocked(v tilt, float rocking, v& beyond) {
  const v x = vmin(vmax(tilt / bc(rocking), bc(-3.f)), bc(3.f)), q = x * x;
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
  {  // roll over a point of the foot so far that the leg need not stretch
    const V3 hip = T[g.hip], off = ankle - hip, pose = T[g.ankle] - hip, pivot_at = pick(by_toe, to_toe, to_heel);
    const v wanted = length(off), now = length(pose), more = vmax(wanted - now, zero);
    const v room = vmax(bc(.9999f * g.length) - now, bc(1e-5f)), part = vmin(more / room, bc(1e4f));
    v far = vmin(hypv(t.hx, t.hz), hypv(t.tx, t.tz));
    far = vmin(far, bc(.06f)) / bc(.06f);
    const v sharp = bc(1.5f) + bc(6.5f) * t.heel_hold * t.toe_hold * far;
    const v reach = now + more / vpow(one + vpow(part, sharp), one / sharp);
    const V3 pivot = ankle + pivot_at, to_hip = hip - pivot;
    const v short2 = dot(pivot_at, pivot_at), far2 = dot(to_hip, to_hip);
    V3 axis = cross(to_hip, pivot_at);
    const v size = length(axis);
    const vi rolls = (more > zero) & (size > bc(1e-7f));
    const v both = vsqrt(vmax(short2 * far2, bc(1e-14f)));
    const v cn = -dot(pivot_at, to_hip) / both, sn = size / both;
    const v c = vmin(vmax((short2 + far2 - reach * reach) / (bc(2.f) * both), -one), one), s = vsqrt(vmax(one - c * c, zero));
    v angle = vatan2(sn * c - cn * s, cn * c + sn * s);
    const v q = angle / bc(.45f), q2 = q * q;
    angle = rolls ? angle / vpow(one + q2 * q2 * q2, bc(1.f / 6.f)) : zero;
    axis = pick(rolls, (one / vmax(size, bc(1e-12f))) * axis, V3{one, zero, zero});
    v sa, cc;
    sincosv(angle, sa, cc);
    const M3 turn = about(axis, cc, sa);
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
    const V3 hip = T[g.hip], thigh = T[g.knee] - hip, shank = T[g.ankle] - T[g.knee], wanted = ankle - hip;
    const v u2 = dot(thigh, thigh), l2 = dot(shank, shank), upper = vsqrt(u2), lower = vsqrt(l2), far = length(wanted);
    const v reach = vmin(vmax(far, vabs(upper - lower) + bc(1e-6f)), bc(.9999f) * (upper + lower));
    V3 hinge = R[g.hip] * vec(g.hinge);
    hinge = unit(hinge - (dot(hinge, thigh) / u2) * thigh);
    const V3 own = cross(thigh, shank);
    const v size = length(own), along0 = dot(thigh, shank);
    v bent_share = smooth_clipped((vatan2(size, along0) - bc(0.08726646f)) / bc(0.34906585f));
    bent_share = dot(hinge, own) > zero ? bent_share : zero;
    const V3 axis = unit((bent_share / vmax(size, bc(1e-9f))) * own + (one - bent_share) * hinge);
    const v along = along0, across = dot(thigh, cross(axis, shank)), both = vmax(hypv(along, across), bc(1e-9f));
    const v c1 = vmin(vmax((reach * reach - u2 - l2) / (bc(2.f) * both), -one), one), s1 = vsqrt(vmax(one - c1 * c1, zero));
    const v c0 = along / both, s0 = across / both;
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
    const v size = bc(g.tip_length), up = ball.y - bc(g.toe_height);
    const V3 tip = R[g.toe] * vec(g.tip), across = R[g.ankle] * vec(g.across);
    const v level = across.y * dot(across, tip), hi = tip.y - level, ahead = across.z * tip.x - across.x * tip.z;
    const v reach = vmax(hypv(hi, ahead), bc(1e-6f));
    v upright = vatan2(ahead, hi);
    upright = upright < bc(-1.57079633f) ? upright + bc(TAU) : upright;
    const v flat = vacos(vmin(vmax((bc(g.tip_height - g.toe_height) - level) / reach, -one), one));
    v angle = upright - flat - bc(.35f) * vmax(up, zero) / size;
    const v past = vmax(angle + bc(.19f), zero);
    angle = angle < bc(.19f) ? bc(.25f) * past * past / bc(.19f) : angle;
    v s = smooth_clipped((bc(5.f) * size - up) / (bc(4.f) * size));
    s *= smooth_clipped((bc(4.71238898f) - upright) / bc(0.78539816f));
    v sa, ca;
    sincosv(s * angle, sa, ca);
    R[g.toe] = about(across, ca, sa) * R[g.toe];
  }
  for (int j = 0; j < N.joints; ++j)
    if (N.chain[f][j] == 5) hang(j);
  return height;
}

// ---------------------------------------------------------------- LANES characters of one triangle
struct Job { const Tables* N; const Step* S; float *records, *poses; const float* scratch; const int *rows, *order, *blocks; int n_rows, next; };

void block(const Job& J, int tri, const int* lane, int n_live) {
  const Tables& N = *J.N;
  const Step& S = *J.S;
  const int H = S.harmonics, K = 2 * H + 1, KN = 2 * N.harmonics + 1, U = N.harmonics - N.first + 1;
  alignas(64) v e[3 * KMAX * NB], ef[3 * KMAX * NB], ed[3 * KMAX * NB], ew[3 * NB];
  alignas(64) float pose[(4 * MOST_JOINTS + 16) * LANES], row[NB][MOST_ROW * W], state[NB][WORDS * W];
  const float* C[3];
  const float* E[3];
  for (int m = 0; m < 3; ++m) {
    const int node = N.triangle[3 * tri + m];
    C[m] = N.coefficients + (long)node * KN * N.stride;
    E[m] = N.energy + (long)node * (U > 0 ? U : 0);
  }
  const float* G = N.product + (long)tri * (U > 0 ? U : 0) * 6;
  v phase[NB], rate[NB];
  bool moves = false;
  const int vertices = (N.parts + 1) * (N.parts + 2) / 2;
  for (int b = 0; b < NB; ++b) {
    alignas(64) float w_[6][W], mixed[W][MOST_ROW];
    const float *records[W], *gaits[W];
    for (int l = 0; l < W; ++l) {
      const int i = b * W + l < n_live ? lane[b * W + l] : lane[0];
      records[l] = J.records + (long)J.rows[i] * WORDS;
      gaits[l] = mixed[l];
      const float* own = J.scratch + 6l * i;
      for (int k = 0; k < 6; ++k) w_[k][l] = own[k];
      for (int k = 3; k < 6; ++k) moves |= own[k] != 0.f;
      // the cell of the lattice, and its three gaits
      const float parts = (float)N.parts;
      float bb = own[2] * parts, aa = fmax_((own[1] + own[2]) * parts, bb);
      int ia = (int)aa, ib = (int)bb;
      ia = ia < N.parts - 1 ? ia : N.parts - 1;
      ib = ib < ia ? ib : ia;
      aa = fmin_(aa - (float)ia, 1.f);
      bb = fmin_(bb - (float)ib, 1.f);
      const bool upper = aa >= bb || ia == ib;
      const int base = ia * (ia + 1) / 2 + ib, last = (ia + 1) * (ia + 2) / 2 + ib + 1, middle = upper ? last - 1 : base + 1;
      const float small = upper ? fmin_(aa, bb) : aa, large = upper ? aa : bb;
      const float* g = N.gait + (long)tri * vertices * N.row;
      const float *g0 = g + base * N.row, *g1 = g + middle * N.row, *g2 = g + last * N.row;
      const float s0 = 1.f - large, s1 = large - small, s2 = small;
      for (int k = 0; k < N.row; ++k) mixed[l][k] = s0 * g0[k] + s1 * g1[k] + s2 * g2[k];
      for (int k = N.row; k % 4; ++k) mixed[l][k] = 0.f;
    }
    for (int k = 0; k < WORDS; k += 4) load_row4(records, k, (v*)(state[b] + k * W));
    for (int k = 0; k < N.row; k += 4) load_row4(gaits, k, (v*)(row[b] + k * W));
    const v w[3] = {ld(w_[0]), ld(w_[1]), ld(w_[2])}, dw[3] = {ld(w_[3]), ld(w_[4]), ld(w_[5])};
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
  synth(C, N.stride, e, K, K, 0, N.n_plain, pose);
  synth(C, N.stride, ef, K, K, N.n_plain, S.columns, pose);
  synth(C, N.stride, ew, 1, 1, S.columns, N.n_columns, pose);
  if (moves) synth(C, N.stride, ed, K, K, N.n_columns, N.n_columns + 8, pose);

  for (int b = 0; b < NB; ++b) {
    const int n = n_live - b * W < W ? n_live - b * W : W;
    if (n <= 0) break;
    const float* to[W];  // where poses will be written, fetched while they are worked out
    for (int l = 0; l < W; ++l) to[l] = J.poses + (long)J.rows[lane[b * W + (l < n ? l : 0)]] * N.joints * 12;
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
        for (int l = 0; l < W; ++l) id[l] = (unsigned)J.rows[b * W + l < n_live ? lane[b * W + l] : lane[0]];
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
    const Clock t = {bc(S.dt), phase[b], rate[b], turning / rate[b], c, s, S.dt};
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
#pragma GCC unroll 16
      for (int l = 0; l < W; ++l) __builtin_prefetch(to[l] + 12 * j, 1, 3);
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
      for (int i = 0; i < 2; ++i) p[i] = plant_of(N, r, 2 * f + i, t, ((before >> (2 * (2 * f + i))) & 3) != 0);
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
      const v down = (h[0].inside & h[1].inside) ? one - smooth_clipped(shorter / bc(.03f)) : one;
      h[0].x *= down; h[0].z *= down; h[0].hold *= down;
      const float loose = N.set.release_from, torn = N.set.release_at;
      v part = one;
      for (int i = 0; i < 2; ++i) {
        const v far = hypv(h[i].x, h[i].z);
        part = vmin(part, smooth_clipped((bc(torn) - far) / bc(torn - loose)));
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
    const v give = smooth_clipped((bc(N.set.strain_to) - strain) / bc(N.set.strain_to - N.set.strain_from));
    marks = (marks & ((1 << GIVE) - 1)) | (1 << BEGUN) | (__builtin_convertvector(vround(give * bc(255.f)), vi) << GIVE) | (planted << PLANTED);
    put(MARKS, (v)marks);
    put(HOLDS, (v)holds);
    // ---- out
    float* dst[W];
    const vi origin = bits(ORIGIN);
    const v far_x = __builtin_convertvector((origin << 16) >> 16, v) * bc(64.f), far_z = __builtin_convertvector(origin >> 16, v) * bc(64.f);
    for (int l = 0; l < W; ++l) {
      const int i = lane[b * W + (l < n ? l : 0)];
      dst[l] = J.poses + (long)J.rows[i] * N.joints * 12;
      if (l < n) {
        float* record = J.records + (long)J.rows[i] * WORDS;
        for (int k = PHASE; k < ORIGIN; ++k) record[k] = own[k * W + l];
      }
    }
    for (int j = 0; j < N.joints; ++j) {
      store_row4(R[j].m[0], R[j].m[1], R[j].m[2], T[j].x + far_x, dst, 12 * j, n);
      store_row4(R[j].m[3], R[j].m[4], R[j].m[5], T[j].y, dst, 12 * j + 4, n);
      store_row4(R[j].m[6], R[j].m[7], R[j].m[8], T[j].z + far_z, dst, 12 * j + 8, n);
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
    __builtin_prefetch(J.scratch + 6l * i, 0, 3);
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

struct Moves { const Tables* N; const Step* S; float* records; const float* goals; float* scratch; const int* rows; int n_rows; };
void move_some(void* job, int part, int parts) {
  const Moves& M = *(const Moves*)job;
  const int from = (int)((long long)M.n_rows * part / parts), to = (int)((long long)M.n_rows * (part + 1) / parts);
  for (int i = from; i < to; ++i)
    move_point(*M.N, *M.S, M.records + (long)M.rows[i] * WORDS, M.goals + 2l * M.rows[i], M.scratch + 6l * i);
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
  Moves moves = {N, S, records, goals, scratch, rows, n_rows};
  shared_out(threads, move_some, &moves);
  for (int t = 0; t <= T; ++t) blocks[t] = 0;
  for (int i = 0; i < n_rows; ++i) ++blocks[as_int(records[(long)rows[i] * WORDS + TRIANGLE]) + 1];
  for (int t = 0; t < T; ++t) { blocks[t + 1] += blocks[t]; next[t] = blocks[t]; }
  for (int i = 0; i < n_rows; ++i) order[next[as_int(records[(long)rows[i] * WORDS + TRIANGLE])]++] = i;
  Job job = {N, S, records, poses, scratch, rows, order, blocks, n_rows, 0};
  shared_out(threads, play, &job);
  return 0;
}
