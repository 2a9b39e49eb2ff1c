// Where planted feet stand, and how legs and toes bend for it (mocapella/playback/feet/locks.py, leg_ik.py, anchor.py).
#include "motion.h"

namespace {
using namespace foot;

struct Pose {  // one leg: its joints, heel and toe in the world
  Q root_turn, world[PLAYER_CHAIN];
  V place[PLAYER_CHAIN], heel, toe;
};
struct Target { C heel_shift, toe_shift; double heel_hold, toe_hold, sink, turned; };
struct Now { const PlayerPlant* plant; double since, hold; };  // no plant: null
struct Lock { bool placed; C place; double hold; C shift; bool leaving; };
struct Laid {  // a gait's own path laid into the world so that it passes through the playhead
  const PlayerGait& gait;
  Moments& known;
  const PlayerSettings& set;
  double phase;
  C turn, origin;
  void round(double rounds, C& by, C& way) const {
    by = {1.0, 0.0}, way = {};
    if (fabs(rounds) < 1.0) return;
    const Moment& m = moment_of(gait, known, copysign(TURN, rounds));
    by = turned(m.yaw), way = m.path;
  }
  C world(C place, double rounds) const {
    C by, way;
    round(rounds, by, way);
    return origin + turn * (way + by * place);
  }
  C speed(C own, double rounds) const {
    C by, way;
    round(rounds, by, way);
    return turn * by * own;
  }
};

Pose pose_leg(const PlayerLeg& leg, V root, Q root_turn, const double* rotations) {
  Pose out;
  out.root_turn = root_turn;
  V at = root;
  Q turn = root_turn;
  for (int i = 0; i < leg.n; ++i) {
    const double* q = rotations + 4 * leg.joint[i];
    at = at + rotate(turn, vec(leg.offset[i]));
    turn = turn * Q{q[0], q[1], q[2], q[3]};
    out.place[i] = at, out.world[i] = turn;
  }
  out.heel = at + rotate(turn, vec(leg.heel)), out.toe = at + rotate(turn, vec(leg.ball));
  return out;
}

void goals(const PlayerLeg& leg, const Pose& pose, const Target& t, V& heel, V& toe) {
  const C heel_over = t.heel_shift + (1.0 - t.heel_hold) * t.toe_shift, toe_over = t.toe_shift + (1.0 - t.toe_hold) * t.heel_shift;
  double heel_up = pose.heel.y - leg.heel_height - t.sink, toe_up = pose.toe.y - leg.toe_height - t.sink;
  if (t.turned != 0.0) {
    const double lower = least(heel_up, toe_up), tilt = heel_up - toe_up - t.turned;
    heel_up = tilt > 0.0 ? lower + tilt : lower, toe_up = tilt > 0.0 ? lower : lower - tilt;
  }
  heel_up = most(heel_up, 0.0), toe_up = most(toe_up, 0.0);
  heel = {pose.heel.x + heel_over.im, leg.heel_height + heel_up, pose.heel.z + heel_over.re};
  toe = {pose.toe.x + toe_over.im, leg.toe_height + toe_up, pose.toe.z + toe_over.re};
}

double still_down(const PlayerLeg& leg, const Pose& pose, const Target& target) {
  V heel, toe;
  goals(leg, pose, target, heel, toe);
  const double share = leg.ankle_share, rest = 1.0 - share;
  const V far = pose.place[leg.n - 1] + rest * (heel - pose.heel) + share * (toe - pose.toe) - pose.place[leg.hip];
  const double short_ = length(far) - STRAIGHTEST * leg.length;
  return short_ <= 0.0 ? 1.0 : 1.0 - smoothstep(least(1.0, short_ / TOO_SHORT));
}

// The plant that holds a point now, the place it keeps, and whether it leaves that.
Now under_way(const Laid& laid, int point, Lock& lock) {
  const PlayerGait& g = laid.gait;
  Now found = {nullptr, 0.0, 0.0};
  for (int i = 0; i < (int)g.n_plants[point]; ++i) {
    const PlayerPlant& plant = g.plant[point][i];
    const double since = since_of(plant, laid.phase), hold = hold_of(plant, since);
    if (hold > found.hold && (since < plant.length || lock.placed)) found = {&plant, since, hold};
  }
  if (!found.plant) return found;
  const double long_ = found.plant->length;
  if (found.since >= long_) lock.leaving = true;
  else if (lock.leaving) {
    if (0.5 * long_ <= found.since && long_ < TURN) return {nullptr, 0.0, 0.0};
    lock.leaving = false, lock.placed = false;
  }
  return found;
}

bool stands(const Now& now) { return now.plant && 0.0 <= now.since && now.since < now.plant->length; }

double beyond(double tilt, double rocking, double& slope) {
  const double part = tanh(tilt / rocking);
  slope = part * part;
  return tilt - rocking * part;
}

// How a foot stands on both its ends: its tilt there, and by how much its heel is let down against its toe now.
void sole_of(const Laid& laid, const PlayerLeg& leg, int heel, const Now& own, const Now& other, double tilt, double& stand, double& turn) {
  stand = turn = 0.0;
  if (!own.plant || !other.plant) return;
  const bool first = own.since < other.since;
  const Now &later = first ? own : other, &sooner = first ? other : own;
  const double gap = nearbyint((sooner.since - later.since) * 1e9) / 1e9;
  const double length_ = least(later.plant->length, sooner.plant->length - gap);
  if (length_ <= 0.0) return;
  const double middle = later.plant->start + 0.5 * length_, soles = leg.heel_height - leg.toe_height, flat = laid.set.sole_tilt;
  stand = height_of(laid.gait, laid.known, heel, middle) - height_of(laid.gait, laid.known, heel + 1, middle) - soles;
  stand = flat * tanh(stand / flat);
  const double since = later.since;
  double slope;
  if (0.0 <= since && since < length_) {
    turn = least(own.plant->firmness, other.plant->firmness) * beyond(tilt - stand, laid.set.rocking, slope);
    return;
  }
  const Now& last = since < 0.0 || later.plant->length <= length_ + 1e-9 ? later : sooner;
  const double edge = later.plant->start + (since < 0.0 ? 0.0 : length_);
  const Touch back = touch_of(laid.gait, laid.known, heel, edge), front = touch_of(laid.gait, laid.known, heel + 1, edge);
  const double more = beyond(back.height - front.height - soles - stand, laid.set.rocking, slope);
  turn = last.hold * more + brake_of(*last.plant, last.since) * slope * (back.rise - front.rise);
}

C at_distance(C place, C other, double reach) {
  const C apart = place - other;
  const double far = size(apart);
  return far > 1e-9 ? other + (reach / far) * apart : place;
}

// By how much a foot point is displaced over the ground; settles the place that it keeps.
C shift_of(const Laid& laid, int point, const Now& now, Lock& lock, C at, const C* other, double apart) {
  if (!now.plant) return {};
  const PlayerPlant& plant = *now.plant;
  if (!lock.placed || now.since < 0.0) {
    const Touch start = touch_of(laid.gait, laid.known, point, plant.start);
    const double rounds = laid.phase - now.since - plant.start;
    const C foretold = laid.world(start.place, rounds);
    C aim = lock.place;
    if (!lock.placed || size(aim - foretold) > laid.set.release_from) {
      aim = foretold;
      if (other) aim = at_distance(aim, *other, apart);
      lock.placed = now.since >= 0.0, lock.place = aim;
    }
    if (now.since < 0.0) return now.hold * (aim - foretold) - brake_of(plant, now.since) * laid.speed(start.speed, rounds);
    lock.placed = true, lock.place = aim;
  }
  if (now.since < plant.length) return plant.firmness * (lock.place - at);
  const double end = wrapped(plant.start + plant.length, TURN), rounds = laid.phase - now.since + plant.length - end;
  const Touch left = touch_of(laid.gait, laid.known, point, end);
  return now.hold * (lock.place - laid.world(left.place, rounds)) - brake_of(plant, now.since) * laid.speed(left.speed, rounds);
}

double over_ground(const Laid& laid, const PlayerLeg& leg, int heel, double phase) {
  return least(height_of(laid.gait, laid.known, heel, phase) - leg.heel_height,
               height_of(laid.gait, laid.known, heel + 1, phase) - leg.toe_height);
}

double sink_of(const Laid& laid, const PlayerLeg& leg, const Pose& pose, int heel, const Now now[2]) {
  double best = 0.0, longest = 0.0, sink = 0.0;
  for (int i = 0; i < 2; ++i) {
    if (!now[i].plant) continue;
    const PlayerPlant& plant = *now[i].plant;
    const double since = now[i].since, press = press_of(plant, since);
    if (press < best || (press == best && since <= longest)) continue;
    best = press, longest = since;
    double over = least(pose.heel.y - leg.heel_height, pose.toe.y - leg.toe_height);
    const double landing = least(laid.set.touchdown * laid.gait.rate, laid.set.touchdown_share * plant.length);
    if (since < landing && plant.length < TURN) {
      const double high = over_ground(laid, leg, heel, plant.start);
      const double low = most(over_ground(laid, leg, heel, plant.start + landing), high - laid.set.hover);
      over = low + (since > 0.0 ? smoothstep(since / landing) * (over - low) : 0.0);
    }
    sink = best * over;
  }
  return sink;
}

// The lock of a point, changed towards its target at a limited rate.
Lock gradual(const Laid& laid, const Now& now, const Lock& before, Lock wanted, C at, double dt) {
  const PlayerSettings& set = laid.set;
  const double last = before.hold;
  if (now.plant && now.since >= now.plant->length && wanted.hold > last) {
    wanted.shift = (last / wanted.hold) * wanted.shift;
    wanted.hold = last;
  }
  double quickest = set.hold_rate * dt;
  if (now.plant && fabs(wanted.hold - last) > quickest) {
    const PlayerPlant& p = *now.plant;
    const double steepest = 1.5 * p.firmness / (now.since < 0.5 * p.length ? p.approach : p.release) * laid.gait.rate;
    quickest = least(most(set.hold_rate, steepest), set.steepest_hold_rate) * dt;
  }
  if (wanted.hold < last - quickest && wanted.placed) {
    wanted.hold = last - quickest;
    wanted.shift = wanted.hold * (wanted.place - at);
    const double far = size(wanted.shift), furthest = size(before.shift) + set.release_speed * dt;
    if (far > furthest) wanted.shift = (furthest / far) * wanted.shift;
  } else if (wanted.hold > last + quickest) {
    wanted.shift = ((last + quickest) / wanted.hold) * wanted.shift;
    wanted.hold = last + quickest;
  } else if (!now.plant) wanted.placed = false;
  return wanted;
}

double slack(C shift, const PlayerSettings& set) {
  const double far = size(shift);
  return far <= set.release_from ? 1.0 : smoothstep(most(0.0, (set.release_at - far) / (set.release_at - set.release_from)));
}

Target foot_target(const Laid& laid, const PlayerLeg& leg, const Pose& pose, int heel, Lock locks[2], double dt, double& strain, bool& held, bool& rolling) {
  const Lock before[2] = {locks[0], locks[1]};
  const Now now[2] = {under_way(laid, heel, locks[0]), under_way(laid, heel + 1, locks[1])};
  const bool down[2] = {stands(now[0]), stands(now[1])};
  rolling = true;
  for (int i = 0; i < 2; ++i)
    if (down[i] && !(now[i].since > (1.0 - ROLL) * now[i].plant->length)) rolling = false;
  held = down[0] || down[1];
  strain = 0.0;
  if (!now[0].plant && !now[1].plant && before[0].hold == 0.0 && before[1].hold == 0.0) return {};
  const double tilt = pose.heel.y - leg.heel_height - pose.toe.y + leg.toe_height, rise = leg.heel_height - leg.toe_height;
  double stand, turn;
  sole_of(laid, leg, heel, now[0], now[1], tilt, stand, turn);
  const double apart = sqrt(most(leg.flat_length * leg.flat_length + rise * rise - (rise + stand) * (rise + stand), 0.0));
  const C at[2] = {{pose.heel.z, pose.heel.x}, {pose.toe.z, pose.toe.x}};
  C shift[2];
  for (int i = 0; i < 2; ++i) {
    const Now& other = now[1 - i];
    const C* kept = !other.plant || other.since >= other.plant->length || !locks[1 - i].placed ? nullptr : &locks[1 - i].place;
    shift[i] = shift_of(laid, heel + i, now[i], locks[i], at[i], kept, apart);
  }
  const double sink = sink_of(laid, leg, pose, heel, now);
  const double firm = down[0] && down[1] ? still_down(leg, pose, {shift[0], shift[1], 1.0, 1.0, sink, turn}) : 1.0;
  const double share[2] = {firm, 1.0};
  double part = 1.0, hold[2];
  for (int i = 0; i < 2; ++i) {
    locks[i].hold = now[i].plant ? share[i] * now[i].hold : 0.0, locks[i].shift = share[i] * shift[i];
    locks[i] = gradual(laid, now[i], before[i], locks[i], at[i], dt);
    part = least(part, slack(locks[i].shift, laid.set));
    if (down[i]) strain = most(strain, size(locks[i].shift));
    hold[i] = down[i] ? locks[i].hold : least(locks[i].hold, FIRM);
  }
  return {part * locks[0].shift, part * locks[1].shift, part * hold[0], part * hold[1], sink, part * turn};
}

V square_to(V aside, V along) {
  const V off = aside - (dot(aside, along) / dot(along, along)) * along;
  const double far = length(off);
  return (1.0 / (far > 0.0 ? far : 1.0)) * off;
}

V knee_axis(V thigh, V shank, V hinge) {
  const V c = cross(thigh, shank);
  const double far = length(c), fold = atan2(far, dot(thigh, shank));
  if (fold <= KNEE_STRAIGHT || dot(hinge, c) <= 0.0) return hinge;
  const double share = smoothstep(least((fold - KNEE_STRAIGHT) / (KNEE_BENT - KNEE_STRAIGHT), 1.0));
  const V axis = (share / far) * c + (1.0 - share) * hinge;
  return (1.0 / length(axis)) * axis;
}

void put_turn(double* rotations, int joint, Q q) {
  double* out = rotations + 4 * joint;
  out[0] = q.w, out[1] = q.x, out[2] = q.y, out[3] = q.z;
}

// Local rotations that bring the ankle to a place and the foot into a direction; how far above it a leg too short stays.
double reach_for(const PlayerLeg& leg, const Pose& pose, V ankle, Q foot, double* rotations) {
  const int hip = leg.hip, knee = leg.knee, last = leg.n - 1;
  const V thigh = pose.place[knee] - pose.place[hip], shank = pose.place[last] - pose.place[knee], wanted = ankle - pose.place[hip];
  const double upper = length(thigh), lower = length(shank), far = length(wanted);
  const double reach = least(most(far, fabs(upper - lower) + 1e-6), STRAIGHTEST * (upper + lower));
  const V axis = knee_axis(thigh, shank, square_to(rotate(pose.world[hip], vec(leg.hinge)), thigh));
  const double along = dot(thigh, shank), across = dot(thigh, cross(axis, shank));
  const double cosine = (reach * reach - upper * upper - lower * lower) / (2.0 * most(hypot(along, across), 1e-12));
  const Q bent = about(axis, atan2(across, along) + acos(within(cosine, -1.0, 1.0)));
  const Q swing = between(thigh + rotate(bent, shank), wanted);
  const Q shin = bent * pose.world[knee], above_ankle = knee == last - 1 ? shin : bent * pose.world[last - 1];
  const Q above_hip = hip > 0 ? pose.world[hip - 1] : pose.root_turn;
  put_turn(rotations, leg.joint[hip], seen_from(above_hip, swing * pose.world[hip]));
  put_turn(rotations, leg.joint[knee], seen_from(pose.world[knee - 1], shin));
  put_turn(rotations, leg.joint[last], seen_from(swing * above_ankle, foot));
  return far <= reach ? 0.0 : (reach / far - 1.0) * wanted.y;
}

// The ankle turned about a point of the foot, so far that the leg need not stretch to reach it.
bool roll(const PlayerLeg& leg, const Pose& pose, V& ankle, V to_pivot, double sharpness, Q& turn) {
  const V hip = pose.place[leg.hip];
  const double wanted = length(ankle - hip), now = length(pose.place[leg.n - 1] - hip);
  if (wanted <= now) return false;
  const double room = most(STRAIGHTEST * leg.length - now, 1e-6);
  const double reach = now + (wanted - now) / pow(1.0 + pow((wanted - now) / room, sharpness), 1.0 / sharpness);
  const V pivot = ankle + to_pivot, to_ankle = -1.0 * to_pivot, to_hip = hip - pivot, c = cross(to_ankle, to_hip);
  const double short_ = length(to_ankle), far = length(to_hip), big = length(c);
  if (big < 1e-9) return false;
  const double cosine = (short_ * short_ + far * far - reach * reach) / (2.0 * short_ * far);
  double angle = atan2(big, dot(to_ankle, to_hip)) - acos(within(cosine, -1.0, 1.0));
  angle /= pow(1.0 + pow(fabs(angle / FURTHEST), 6.0), 1.0 / 6.0);
  turn = about((1.0 / big) * c, angle);
  ankle = pivot + rotate(turn, to_ankle);
  return true;
}

void bend_toes(const PlayerLeg& leg, V ball, Q foot, double* rotations) {
  if (leg.toe < 0) return;
  const double* own = rotations + 4 * leg.toe;
  const Q toes = {own[0], own[1], own[2], own[3]};
  const double size_ = leg.tip_length, height = ball.y - leg.toe_height;
  if (height >= FREE * size_) return;
  const V tip = rotate(foot, rotate(toes, vec(leg.tip))), axis = rotate(foot, vec(leg.across));
  const double level = axis.y * dot(axis, tip), high = tip.y - level, ahead = axis.z * tip.x - axis.x * tip.z;
  const double reach = hypot(high, ahead);
  if (reach < 1e-6) return;
  double upright = atan2(ahead, high);
  if (upright < -0.25 * TURN) upright += TURN;
  const double flat = acos(within((leg.tip_height - leg.toe_height - level) / reach, -1.0, 1.0));
  double angle = upright - flat - FOLLOW * most(height, 0.0) / size_;
  if (angle <= -TOES_SOFT || upright >= FOLDED) return;
  if (angle < TOES_SOFT) angle = 0.25 * ((angle + TOES_SOFT) * (angle + TOES_SOFT)) / TOES_SOFT;
  double share = smoothstep(least((FREE * size_ - height) / ((FREE - 1.0) * size_), 1.0));
  if (upright > BACK) share *= smoothstep((FOLDED - upright) / (FOLDED - BACK));
  put_turn(rotations, leg.toe, about(vec(leg.across), share * angle) * toes);
}

// New local rotations that bring a foot to its target; how far the lower one of heel and toe is above the ground then.
double bend_leg(const PlayerLeg& leg, const Pose& pose, const Target& t, double* rotations) {
  V heel, toe;
  goals(leg, pose, t, heel, toe);
  const Q world = pose.world[leg.n - 1];
  if (most(length(heel - pose.heel), length(toe - pose.toe)) < UNMOVED) {
    bend_toes(leg, pose.toe, world, rotations);
    return least(pose.heel.y - leg.heel_height, pose.toe.y - leg.toe_height);
  }
  Q foot = between(pose.toe - pose.heel, toe - heel) * world, turn;
  const double firm_heel = t.heel_hold / (1.0 - t.heel_hold + 1e-9), firm_toe = t.toe_hold / (1.0 - t.toe_hold + 1e-9);
  const double share = firm_heel + firm_toe > 0.0 ? firm_toe / (firm_heel + firm_toe) : 0.5, rest = 1.0 - share;
  V to_heel = rotate(foot, vec(leg.heel)), to_toe = rotate(foot, vec(leg.ball));
  V ankle = rest * (heel - to_heel) + share * (toe - to_toe);
  const double off = least(least(size(t.heel_shift), size(t.toe_shift)), FAR) / FAR;
  if (roll(leg, pose, ankle, share >= 0.5 ? to_toe : to_heel, SOFT + (SHARP - SOFT) * t.heel_hold * t.toe_hold * off, turn)) {
    foot = turn * foot;
    to_heel = rotate(turn, to_heel), to_toe = rotate(turn, to_toe);
  }
  const double miss = least(share, rest);
  if (miss > 0.0) {
    const V at = share >= 0.5 ? heel : toe, to = share >= 0.5 ? to_heel : to_toe;
    ankle = {ankle.x + miss * (at.x - ankle.x - to.x), ankle.y, ankle.z + miss * (at.z - ankle.z - to.z)};
  }
  const V ball = ankle + to_toe;
  const double missed = reach_for(leg, pose, ankle, foot, rotations);
  bend_toes(leg, ball, foot, rotations);
  return missed + least(ankle.y + to_heel.y - leg.heel_height, ball.y - leg.toe_height);
}

// After a long step a point may stand again in what is the same plant of the cycle, a round later and metres on.
void forget_old_places(const Laid& laid, Lock locks[4], double seconds) {
  for (int point = 0; point < 4; ++point) {
    const PlayerPlant* firmest = nullptr;
    double best = 0.0;
    for (int i = 0; i < (int)laid.gait.n_plants[point]; ++i) {
      const PlayerPlant& plant = laid.gait.plant[point][i];
      const double hold = hold_of(plant, since_of(plant, laid.phase));
      if (!firmest || hold > best) firmest = &plant, best = hold;
    }
    if (!firmest || firmest->length >= TURN) continue;
    if (since_of(*firmest, laid.phase) < seconds * laid.gait.rate) locks[point] = {false, {}, locks[point].hold, {}, false};
  }
}
}  // namespace

void hold_feet(const PlayerTables& tables, const PlayerSettings& set, const PlayerGait& gait, Moments& known,
               PlayerState& state, V root, Q root_turn, double* rotations, double dt) {
  const Moment& here = moment_of(gait, known, state.phase);
  const C turn = turned(state.yaw - here.yaw);
  const Laid laid = {gait, known, set, state.phase, turn, C{state.position[1], state.position[0]} - turn * here.path};
  Lock locks[4];
  for (int p = 0; p < 4; ++p)
    locks[p] = {state.placed[p] != 0.0, pair(state.place[p]), state.hold[p], pair(state.shift[p]), state.leaving[p] != 0.0};
  if (dt > set.long_step) forget_old_places(laid, locks, dt - set.long_step);
  if (state.begun == 0.0) {
    for (int p = 0; p < 4; ++p) locks[p].hold = 0.0;
    dt = INFINITY;
  }
  state.strain = 0.0;
  Pose poses[2];
  Target targets[2];
  bool held[2], rolling[2];
  for (int side = 0; side < 2; ++side) {
    double strain;
    poses[side] = pose_leg(tables.leg[side], root, root_turn, rotations);
    targets[side] = foot_target(laid, tables.leg[side], poses[side], 2 * side, locks + 2 * side, dt, strain, held[side], rolling[side]);
    state.strain = most(state.strain, strain);
  }
  state.begun = 1.0;
  for (int p = 0; p < 4; ++p) {
    state.placed[p] = locks[p].placed, state.hold[p] = locks[p].hold, state.leaving[p] = locks[p].leaving;
    put(state.place[p], locks[p].placed ? locks[p].place : C{}), put(state.shift[p], locks[p].shift);
  }
  for (int side = 0; side < 2; ++side) {
    const double height = bend_leg(tables.leg[side], poses[side], targets[side], rotations), was = state.standing[side];
    if (!held[side] || (was == 1.0 && height > set.lifted && !rolling[side])) state.standing[side] = 0.0;
    else if (was == 0.0 && height <= set.down) state.standing[side] = 1.0;
    else if (was == 1.0 && rolling[side] && height > set.down) state.standing[side] = 2.0;
  }
}

void anchor_body(const PlayerTables& tables, const PlayerGait& gait, PlayerState& state, Q root_turn, const double* rotations) {
  double bearing[4];
  bearing_at(gait, state.phase, bearing);
  const bool planted[2] = {bearing[0] > 0.0 || bearing[1] > 0.0, bearing[2] > 0.0 || bearing[3] > 0.0};
  if (!planted[0] && !planted[1]) {
    state.anchor = -1.0;
    return;
  }
  C toes[2];
  double heights[2];
  for (int side = 0; side < 2; ++side) {
    const V toe = pose_leg(tables.leg[side], {0.0, 0.0, 0.0}, root_turn, rotations).toe;
    toes[side] = {toe.z, toe.x}, heights[side] = toe.y - tables.leg[side].toe_height;
  }
  const int lower = !planted[0] || (planted[1] && heights[1] < heights[0]);
  const int side = state.anchor == 1.0 ? 0 : state.anchor == 3.0 ? 1 : -1;  // snapshots may have a heel for an anchor
  if (side >= 0 && planted[side]) {
    const C at = pair(state.anchor_place) - toes[side];
    state.position[0] = at.im, state.position[1] = at.re;
  }
  if (lower != side) {
    state.anchor = 2 * lower + 1;
    put(state.anchor_place, C{state.position[1], state.position[0]} + toes[lower]);
  }
}
