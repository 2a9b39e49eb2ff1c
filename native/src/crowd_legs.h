// Legs of a crowd that bend for feet to stand where they are held.
//
// Bending a leg is one long chain of results that wait for each other. So both legs take each step of it together: a
// processor works on one while the other waits.
#pragma once
#include "crowd_words.h"

namespace {
struct Target { v hx, hz, tx, tz, heel_hold, toe_hold, sink, turned; };
struct Bend {
  V3 heel, toe, heel_goal, toe_goal, to_heel, to_toe, ankle;  // to_…: seen from the ankle
  M3 foot, swing, folded;                                     // of the foot, and by what thigh and shank are turned
  v share, now, more, reach, high, angle;                     // share of the toe in where the ankle goes
  V3 thigh, shank, pivot_at, axis;
  vi rolls;
  bool rolling;
};
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
// The foot as its points are to lie, and where its ankle is then.
INL void aim_foot(const Leg& g, const Target& t, const M3* R, const V3* T, Bend& b) {
  const v one = bc(1.f), zero = v{};
  goals_of(g, b.heel, b.toe, t, b.heel_goal, b.toe_goal);
  b.foot = between(b.toe - b.heel, b.toe_goal - b.heel_goal) * R[g.ankle];
  const v fh = t.heel_hold / (one - t.heel_hold + bc(1e-6f)), ft = t.toe_hold / (one - t.toe_hold + bc(1e-6f)), sum = fh + ft;
  b.share = sum > zero ? ft / vmax(sum, bc(1e-12f)) : bc(.5f);
  b.to_heel = b.foot * vec(g.heel_at);
  b.to_toe = b.foot * vec(g.toe_at);
  b.ankle = (one - b.share) * (b.heel_goal - b.to_heel) + b.share * (b.toe_goal - b.to_toe);
  b.now = length(T[g.ankle] - T[g.hip]);
  b.more = length(b.ankle - T[g.hip]) - b.now;
  b.rolling = any(b.more > bc(1e-6f));
}
// A foot rolls over one of its points so far that the leg need not stretch: how far the leg may reach, …
INL void limit_reach(const Leg& g, const Target& t, Bend& b) {
  const v one = bc(1.f), zero = v{};
  const v room = vmax(bc(float(foot::STRAIGHTEST) * g.length) - b.now, bc(1e-5f)), part = vmin(vmax(b.more, zero) / room, bc(1e4f));
  const v far = vmin(vsqrt(vmin(t.hx * t.hx + t.hz * t.hz, t.tx * t.tx + t.tz * t.tz)) * bc(1.f / float(foot::FAR)), one);
  const v sharp = bc(float(foot::SOFT)) + bc(float(foot::SHARP - foot::SOFT)) * t.heel_hold * t.toe_hold * far;
  b.reach = b.now + b.more / vpow(one + vpow(part, sharp), one / sharp);
}
// … by which angle the foot rolls for that, …
INL void find_roll(const Leg& g, const V3* T, Bend& b) {
  const v one = bc(1.f), zero = v{};
  b.pivot_at = pick(b.share >= bc(.5f), b.to_toe, b.to_heel);
  const V3 to_hip = T[g.hip] - b.ankle - b.pivot_at, square = cross(to_hip, b.pivot_at);
  const v short2 = dot(b.pivot_at, b.pivot_at), far2 = dot(to_hip, to_hip);
  const v size = length(square), per_both = one / vmax(vsqrt(short2 * far2), bc(1e-7f));
  b.rolls = (b.more > zero) & (size > bc(1e-7f));
  b.axis = pick(b.rolls, (one / vmax(size, bc(1e-12f))) * square, V3{one, zero, zero});
  const v cn = -dot(b.pivot_at, to_hip) * per_both, sn = size * per_both;
  const v c = vmin(vmax(bc(.5f) * (short2 + far2 - b.reach * b.reach) * per_both, -one), one), s = vsqrt(vmax(one - c * c, zero));
  b.angle = b.rolls ? vatan2(sn * c - cn * s, cn * c + sn * s) : zero;
  const v q = b.angle * bc(1.f / float(foot::FURTHEST)), q2 = q * q, q6 = q2 * q2 * q2;
  if (any(q6 > bc(1e-8f))) b.angle = b.angle / vpow(one + q6, bc(1.f / 6.f));
}
// … and the foot after it.
INL void roll_foot(Bend& b) {
  v s, c;
  sincosv(b.angle, s, c);
  const M3 turn = about(b.axis, c, s);
  b.ankle = pick(b.rolls, b.ankle + b.pivot_at - turn * b.pivot_at, b.ankle);
  b.foot = turn * b.foot;
  b.to_heel = turn * b.to_heel;
  b.to_toe = turn * b.to_toe;
}
// The axis that a knee bends about: its own, or that of a hinge where the leg is nearly straight.
INL void find_knee(const Leg& g, const M3* R, const V3* T, Bend& b) {
  const v one = bc(1.f), zero = v{}, miss = vmin(b.share, one - b.share);
  const V3 missed = pick(b.share >= bc(.5f), b.heel_goal - b.to_heel, b.toe_goal - b.to_toe) - b.ankle;
  b.ankle.x += miss * missed.x;
  b.ankle.z += miss * missed.z;
  b.thigh = T[g.knee] - T[g.hip];
  b.shank = T[g.ankle] - T[g.knee];
  V3 hinge = R[g.hip] * vec(g.hinge);
  hinge = unit(hinge - (dot(hinge, b.thigh) / dot(b.thigh, b.thigh)) * b.thigh);
  const V3 own = cross(b.thigh, b.shank);
  const v size = length(own);
  v bent = smooth_clipped((vatan2(size, dot(b.thigh, b.shank)) - bc(float(foot::KNEE_STRAIGHT))) * bc(1.f / float(foot::KNEE_BENT - foot::KNEE_STRAIGHT)));
  bent = dot(hinge, own) > zero ? bent : zero;
  b.axis = unit((bent / vmax(size, bc(1e-9f))) * own + (one - bent) * hinge);
}
// Two bones: how the knee bends and the leg swings for the ankle to be where it goes.
INL void bend_knee(const Leg& g, const V3* T, Bend& b) {
  const v one = bc(1.f), zero = v{};
  const V3 wanted = b.ankle - T[g.hip];
  const v u2 = dot(b.thigh, b.thigh), l2 = dot(b.shank, b.shank), upper = vsqrt(u2), lower = vsqrt(l2), far = length(wanted);
  const v reach = vmin(vmax(far, vabs(upper - lower) + bc(1e-6f)), bc(float(foot::STRAIGHTEST)) * (upper + lower));
  const v along = dot(b.thigh, b.shank), across = dot(b.thigh, cross(b.axis, b.shank)), per_both = one / vmax(hypv(along, across), bc(1e-9f));
  const v c1 = vmin(vmax(bc(.5f) * (reach * reach - u2 - l2) * per_both, -one), one), s1 = vsqrt(vmax(one - c1 * c1, zero));
  const v c0 = along * per_both, s0 = across * per_both;
  const M3 bent = about(b.axis, c0 * c1 - s0 * s1, s0 * c1 + c0 * s1);
  b.swing = between(b.thigh + bent * b.shank, wanted);
  b.folded = b.swing * bent;
  b.high = far > reach ? (reach / vmax(far, bc(1e-9f)) - one) * wanted.y : zero;
}
// The joints of a leg, and what hangs on it but on toes that bend.
template <class DOF>
INL void move_leg(const Tables& N, int f, M3* R, V3* T, const Bend& b, DOF local) {
  const Leg& g = N.leg[f];
  for (int j = 0; j < N.joints; ++j) {
    const int what = N.chain[f][j], p = N.parent[j];
    if (what == 0 || what == 5) continue;
    if (what == 4) { hang(R[p], T[p], local(j), N.offset + 3 * j, R[j], T[j]); continue; }
    if (j != g.hip) T[j] = T[p] + R[p] * vec(N.offset + 3 * j);
    R[j] = what == 1 ? b.swing * R[j] : what == 2 ? b.folded * R[j] : b.foot;
  }
}
// By which angle toes bend to stay on the ground, about which axis.
INL void find_toes(const Leg& g, const M3* R, Bend& b) {
  const v one = bc(1.f), zero = v{}, per_size = bc(1.f / g.tip_length), up = b.ankle.y + b.to_toe.y - bc(g.toe_height);
  const V3 tip = R[g.toe] * vec(g.tip);
  b.axis = R[g.ankle] * vec(g.across);
  const v level = b.axis.y * dot(b.axis, tip), high = tip.y - level, ahead = b.axis.z * tip.x - b.axis.x * tip.z;
  const v reach = vmax(hypv(high, ahead), bc(1e-6f));
  v upright = vatan2(ahead, high);
  upright = upright < bc(-1.57079633f) ? upright + bc(TAU) : upright;
  const v flat = vacos(vmin(vmax((bc(g.tip_height - g.toe_height) - level) / reach, -one), one));
  v angle = upright - flat - bc(float(foot::FOLLOW)) * vmax(up, zero) * per_size;
  constexpr float soft = float(foot::TOES_SOFT), free = float(foot::FREE);
  const v past = vmax(angle + bc(soft), zero);
  angle = angle < bc(soft) ? bc(.25f / soft) * past * past : angle;
  const v near = smooth_clipped(bc(free / (free - 1.f)) - bc(1.f / (free - 1.f)) * up * per_size);
  b.angle = near * smooth_clipped((bc(float(foot::FOLDED)) - upright) * bc(1.f / float(foot::FOLDED - foot::BACK))) * angle;
}
template <class DOF>
INL void bend_toes(const Tables& N, int f, M3* R, V3* T, const Bend& b, DOF local) {
  const int toe = N.leg[f].toe;
  v s, c;
  sincosv(b.angle, s, c);
  R[toe] = about(b.axis, c, s) * R[toe];
  for (int j = toe + 1; j < N.joints; ++j)
    if (N.chain[f][j] == 5) {
      const int p = N.parent[j];
      hang(R[p], T[p], local(j), N.offset + 3 * j, R[j], T[j]);
    }
}
// Both legs. b: with heel and toe as the pose has them; lifted: how far the lower one of each foot's points is then
// over the ground.
template <class DOF>
INL void bend_legs(const Tables& N, const Target* t, M3* R, V3* T, Bend* b, DOF local, v* lifted) {
  const Leg* g = N.leg;
  for (int f = 0; f < 2; ++f) aim_foot(g[f], t[f], R, T, b[f]);
  for (int f = 0; f < 2; ++f)
    if (b[f].rolling) limit_reach(g[f], t[f], b[f]);
  for (int f = 0; f < 2; ++f)
    if (b[f].rolling) find_roll(g[f], T, b[f]);
  for (int f = 0; f < 2; ++f)
    if (b[f].rolling) roll_foot(b[f]);
  for (int f = 0; f < 2; ++f) find_knee(g[f], R, T, b[f]);
  for (int f = 0; f < 2; ++f) bend_knee(g[f], T, b[f]);
  for (int f = 0; f < 2; ++f) move_leg(N, f, R, T, b[f], local);
  for (int f = 0; f < 2; ++f)
    if (g[f].toe >= 0) find_toes(g[f], R, b[f]);
  for (int f = 0; f < 2; ++f) {
    if (g[f].toe >= 0) bend_toes(N, f, R, T, b[f], local);
    const v heel_up = b[f].to_heel.y - bc(g[f].heel_height), toe_up = b[f].to_toe.y - bc(g[f].toe_height);
    lifted[f] = b[f].high + b[f].ankle.y + vmin(heel_up, toe_up);
  }
}
}  // namespace
