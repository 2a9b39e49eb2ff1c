// Crossing over from one pose to another: the difference between the two is kept, and fades away.
//
// A foot that rests in both poses stays where it stands until it is lifted: its difference is held as long as it rests, and
// fades in its next step. Legs are bent so that they reach the feet.
#include "crossover.h"

#include "foot_constants.h"

namespace mocapella {
namespace {
constexpr double FADE = 0.3;  // seconds in which the difference between two poses that meet fades
constexpr float STRETCH = float(foot::STRAIGHTEST);  // of a leg's length: as straight as it is bent

struct V { float x, y, z; };
V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
V operator*(float s, V a) { return {s * a.x, s * a.y, s * a.z}; }
float dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
float length(V a) { return __builtin_sqrtf(dot(a, a)); }

struct Q { float x, y, z, w; };
Q operator*(Q a, Q b) {
  Q out;
  multiply(&a.x, &b.x, &out.x);
  return out;
}
Q back(Q q) { return {-q.x, -q.y, -q.z, q.w}; }
Q unit(Q q) { normalise(&q.x); return q; }
Q part_of_turn(Q q, float share) { return unit({share * q.x, share * q.y, share * q.z, 1.f - share + share * q.w}); }
V rotate(Q q, V v) {
  const V u = {q.x, q.y, q.z}, t = 2.f * cross(u, v);
  return v + q.w * t + cross(u, t);
}
Q between(V u, V v) {  // the smallest rotation from one direction to another
  const V c = cross(u, v);
  return unit({c.x, c.y, c.z, __builtin_sqrtf(dot(u, u) * dot(v, v)) + dot(u, v)});
}
V vec(const float* p) { return {p[0], p[1], p[2]}; }
Q quat(const float* p) { return {p[0], p[1], p[2], p[3]}; }
float eased(double left) {
  const double share = clamp(left / FADE, 0.0, 1.0);
  return (float)(share * share * (3.0 - 2.0 * share));
}

float* offset_of(const mocapella_characters* c, int i) { return c->offsets + (long)offsets_of(c->network->tables.joints) * i; }
int planted_of(const mocapella_characters* c, int i) { return (as_int(record_of(c, i)[MARKS]) >> PLANTED) & 15; }

void read_pose(const mocapella_characters* c, int i, Pose& pose) {
  for (int j = 0; j < c->network->tables.joints; ++j) {
    float local[7];
    local_of(c, i, j, local);
    if (j == 0) copy(pose.root, local, 12);
    copy(pose.turns + 4 * j, local + 3, 16);
  }
}

// A joint in the world, of the pose that is written.
struct Joint { Q turn; V at; };
Joint joint_of(const mocapella_characters* c, int i, int joint) {
  if (joint < 0) return {{0.f, 0.f, 0.f, 1.f}, {0.f, 0.f, 0.f}};
  const float* m = pose_of(c, i) + 12 * joint;
  const double turn[] = {m[0], m[1], m[2], m[4], m[5], m[6], m[8], m[9], m[10]};
  Joint out = {{}, {m[3], m[7], m[11]}};
  quaternion_of(turn, &out.turn.x);
  return out;
}

// By what a foot that rests in both poses differs. Its turn about the vertical and its place on the ground are held.
struct Foot { Q yaw, tilt; V apart, point; };
Foot read_foot(const float* f) { return {{0.f, f[0], 0.f, f[1]}, quat(f + 2), vec(f + 6), vec(f + 9)}; }
void write_foot(float* f, const Foot& foot) {
  const float out[FOOT] = {foot.yaw.y, foot.yaw.w, foot.tilt.x, foot.tilt.y, foot.tilt.z, foot.tilt.w, foot.apart.x, foot.apart.y, foot.apart.z, foot.point.x, foot.point.y, foot.point.z};
  copy(f, out, sizeof out);
}
Foot difference(const Leg& leg, const Joint& before, const Joint& now, int resting) {
  V point = vec(resting & 1 ? leg.heel_at : leg.toe_at);
  if (resting == 3) point = 0.5f * (vec(leg.heel_at) + vec(leg.toe_at));
  const Q turn = before.turn * back(now.turn), yaw = unit({0.f, turn.y, 0.f, turn.w});
  Q tilt = back(yaw) * turn;
  if (tilt.w < 0.f) tilt = {-tilt.x, -tilt.y, -tilt.z, -tilt.w};
  return {yaw.w < 0.f ? Q{0.f, -yaw.y, 0.f, -yaw.w} : yaw, tilt, before.at + rotate(before.turn, point) - (now.at + rotate(now.turn, point)), point};
}

// Bend a leg of a pose that is written, so that its ankle comes to a place with a turn.
void reach(mocapella_characters* c, int i, const Leg& leg, Pose& pose, Joint ankle) {
  const int* parent = c->network->tables.parent;
  const Joint hip = joint_of(c, i, leg.hip), knee = joint_of(c, i, leg.knee), old = joint_of(c, i, leg.ankle);
  const V thigh = knee.at - hip.at, shin = old.at - knee.at;
  V to = ankle.at - hip.at;
  const float a = length(thigh), b = length(shin), most = STRETCH * (a + b), least = __builtin_fabsf(a - b) + 1e-4f, asked = length(to);
  if (!(a > 1e-4f && b > 1e-4f && asked > 1e-4f)) return;
  const float far = (float)clamp(asked, least < most ? least : most, most);
  to = (far / asked) * to;
  const Q swing = between(old.at - hip.at, to);
  const V turned = rotate(swing, thigh), along = (1.f / far) * to, side = turned - dot(turned, along) * along;
  const float out = length(side), x = (a * a - b * b + far * far) / (2.f * far), y = __builtin_sqrtf(a * a > x * x ? a * a - x * x : 0.f);
  const V bent = x * along + (out > 1e-5f ? y / out : 0.f) * side;
  const Q upper = between(turned, bent) * swing, lower = between(rotate(swing, shin), to - bent) * swing;
  const Q thigh_turn = upper * hip.turn, above = joint_of(c, i, leg.hip ? parent[leg.hip] : -1).turn;
  const Q over_knee = upper * joint_of(c, i, leg.knee ? parent[leg.knee] : -1).turn, over_ankle = lower * joint_of(c, i, leg.ankle ? parent[leg.ankle] : -1).turn;
  const Q hip_turn = unit(back(above) * thigh_turn), knee_turn = unit(back(over_knee) * (lower * knee.turn)), foot_turn = unit(back(over_ankle) * ankle.turn);
  copy(pose.turns + 4 * leg.hip, &hip_turn, 16);
  copy(pose.turns + 4 * leg.knee, &knee_turn, 16);
  copy(pose.turns + 4 * leg.ankle, &foot_turn, 16);
}
}  // namespace

void multiply(const float* a, const float* b, float* out) {
  const float q[] = {a[3] * b[0] + a[0] * b[3] + a[1] * b[2] - a[2] * b[1], a[3] * b[1] - a[0] * b[2] + a[1] * b[3] + a[2] * b[0],
                     a[3] * b[2] + a[0] * b[1] - a[1] * b[0] + a[2] * b[3], a[3] * b[3] - a[0] * b[0] - a[1] * b[1] - a[2] * b[2]};
  copy(out, q, sizeof q);
}

void normalise(float* q) {
  const double size = __builtin_sqrt((double)q[0] * q[0] + (double)q[1] * q[1] + (double)q[2] * q[2] + (double)q[3] * q[3]);
  const bool none = !(size > 1e-9);
  for (int k = 0; k < 4; ++k) q[k] = none ? (k == 3 ? 1.f : 0.f) : (float)(q[k] / size);
}

void write_pose(mocapella_characters* c, int i, const Pose& pose) {
  const Tables& t = c->network->tables;
  float* out = pose_of(c, i);
  for (int j = 0; j < t.joints; ++j) {
    const float *q = pose.turns + 4 * j, x = q[0], y = q[1], z = q[2], w = q[3];
    const float own[] = {1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w), 2 * (x * y + z * w), 1 - 2 * (x * x + z * z),
                         2 * (y * z - x * w), 2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)};
    const int p = t.parent[j];
    const float *above = out + 12 * (p < 0 ? 0 : p), *at = p < 0 ? pose.root : t.offset + 3 * j;
    for (int r = 0; r < 3; ++r) {
      const float a = above[4 * r], b = above[4 * r + 1], d = above[4 * r + 2], from = above[4 * r + 3];
      float row[4];
      for (int k = 0; k < 3; ++k) row[k] = p < 0 ? own[3 * r + k] : a * own[k] + b * own[3 + k] + d * own[6 + k];
      row[3] = p < 0 ? at[r] : from + (a * at[0] + b * at[1] + d * at[2]);
      copy(out + 12 * j + 4 * r, row, sizeof row);
    }
  }
}

void read_shown(const mocapella_characters* c, int i, Shown& shown) {
  read_pose(c, i, shown.pose);
  shown.planted = planted_of(c, i);
}

void cross_over(mocapella_characters* c, int i, const Shown& before) {
  const Tables& t = c->network->tables;
  Here& h = c->here[i];
  float* offset = offset_of(c, i);
  Pose now;
  read_pose(c, i, now);
  for (int j = 0; j < t.joints; ++j) {
    const float *q = now.turns + 4 * j, undo[] = {-q[0], -q[1], -q[2], q[3]};
    multiply(before.pose.turns + 4 * j, undo, offset + 4 * j);
    if (offset[4 * j + 3] < 0.f)
      for (int k = 0; k < 4; ++k) offset[4 * j + k] = -offset[4 * j + k];
  }
  for (int k = 0; k < 3; ++k) offset[4 * t.joints + k] = before.pose.root[k] - now.root[k];
  const Joint here[] = {joint_of(c, i, t.leg[0].ankle), joint_of(c, i, t.leg[1].ankle)};
  write_pose(c, i, before.pose);
  h.fade = FADE;
  for (int side = 0; side < 2; ++side) {
    const int both = before.planted & planted_of(c, i), resting = (both >> (2 * side)) & 3;
    h.hold[side] = resting ? FADE : 0.f;
    if (resting) write_foot(offset + 4 * t.joints + 3 + FOOT * side, difference(t.leg[side], joint_of(c, i, t.leg[side].ankle), here[side], resting));
  }
}

void pass(mocapella_characters* c, int i, double seconds) {
  Here& h = c->here[i];
  h.fade -= (float)seconds;
  for (int side = 0; side < 2; ++side)  // a foot is let go once it is lifted
    if (h.hold[side] < FADE || !((planted_of(c, i) >> (2 * side)) & 3)) h.hold[side] -= (float)seconds;
}

void fade(mocapella_characters* c, int i) {
  const Here& h = c->here[i];
  if (!crossing(h)) return;
  const Tables& t = c->network->tables;
  const float share = eased(h.fade), *offset = offset_of(c, i);
  const Joint own[] = {joint_of(c, i, t.leg[0].ankle), joint_of(c, i, t.leg[1].ankle)};
  Pose pose;
  read_pose(c, i, pose);
  for (int j = 0; j < t.joints; ++j) {
    const Q turn = part_of_turn(quat(offset + 4 * j), share);
    multiply(&turn.x, pose.turns + 4 * j, pose.turns + 4 * j);
  }
  for (int k = 0; k < 3; ++k) pose.root[k] += share * offset[4 * t.joints + k];
  write_pose(c, i, pose);
  for (int side = 0; side < 2; ++side) {
    if (!(h.hold[side] > 0.f)) continue;
    const Foot foot = read_foot(offset + 4 * t.joints + 3 + FOOT * side);
    const float held = eased(h.hold[side]);
    const Q turn = part_of_turn(foot.yaw, held) * part_of_turn(foot.tilt, share) * own[side].turn;
    const V apart = {held * foot.apart.x, share * foot.apart.y, held * foot.apart.z};
    reach(c, i, t.leg[side], pose, {turn, own[side].at + rotate(own[side].turn, foot.point) + apart - rotate(turn, foot.point)});
  }
  write_pose(c, i, pose);
}
}  // namespace mocapella
