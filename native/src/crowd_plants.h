// Foot plants of a crowd: which one holds a foot point at a phase, how firmly, and where the point is held.
#pragma once
#include "crowd_words.h"

namespace {
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
  const v left = (p.length - p.since) / (bc(float(foot::ROLL)) * vmax(p.length, bc(1e-6f)));
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
}  // namespace
