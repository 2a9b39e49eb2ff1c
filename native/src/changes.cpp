// Characters of hybrid networks: sent to the place of a captured change, played through it, and on in the next block.
//
// In a block a character blends the block's own triangles. The node of a change is reached by a way, the triangles round
// that node: the blending point enters it across an edge that it shares with the block, goes to the node, and the moment
// of the cycle is waited for. Then the recorded poses are played from where the character stands. It goes on in another
// way, round the node that the change leads to, and leaves it for the block once its blending point is sent elsewhere.
// Wherever two poses meet, one crosses over into the other (crossover.cpp).
#include "crossover.h"

namespace mocapella {
namespace {
constexpr double NEAR = 0.03;        // of the plane's size: as near a point has to come to where a way is entered
constexpr double LEFT = 0.02;        // weight of a node below which its way is left
constexpr double ROUNDING = 1e-4;    // of a weight
constexpr double JUST_MISSED = 1e-3;  // radians: the moment of a change, passed by rounding

double sine(double x) {
  x -= TURN * rounded(x / TURN);
  if (x > TURN / 4.0) x = TURN / 2.0 - x;
  if (x < -TURN / 4.0) x = -TURN / 2.0 - x;
  double sum = x, term = x;
  for (int k = 2; k < 20; k += 2) sum += term *= -x * x / (k * (k + 1));
  return sum;
}
double cosine(double x) { return sine(x + TURN / 4.0); }

// ---- ways

// The corners of a triangle of nodes besides one of them; -1 where the node is none of its corners.
int others(const mocapella_network& part, int triangle, int node, const double* out[2]) {
  const int* row = part.node_triangle + 3 * triangle;
  int n = 0;
  bool has = false;
  for (int k = 0; k < 3; ++k) {
    has |= row[k] == node;
    if (row[k] >= 0 && row[k] != node && n < 2) out[n++] = part.node_point + 2 * row[k];
  }
  return has ? n : -1;
}

// The weight of a node at a place of the plane; below zero outside of all triangles round it.
double weight_of(const mocapella_network& part, int node, const double at[2]) {
  const double* own = part.node_point + 2 * node;
  double found = -1.0;
  for (int k = 0; k < part.node_triangles; ++k) {
    const double* corner[2];
    const int n = others(part, k, node, corner);
    double w[3] = {1.0, 0.0, 0.0};
    if (n < 0) continue;
    const double px = at[0] - own[0], py = at[1] - own[1];
    if (n == 1) {
      const double ux = corner[0][0] - own[0], uy = corner[0][1] - own[1], length = ux * ux + uy * uy;
      w[1] = length > 0.0 ? (px * ux + py * uy) / length : 0.0;
    } else if (n == 2) {
      const double ux = corner[0][0] - own[0], uy = corner[0][1] - own[1], vx = corner[1][0] - own[0], vy = corner[1][1] - own[1], area = ux * vy - uy * vx;
      if (area == 0.0) continue;
      w[1] = (px * vy - py * vx) / area;
      w[2] = (ux * py - uy * px) / area;
    }
    w[0] = 1.0 - w[1] - w[2];
    if (w[0] >= -ROUNDING && w[1] >= -ROUNDING && w[2] >= -ROUNDING && w[0] > found) found = w[0] > 0.0 ? w[0] : 0.0;
  }
  return found;
}

// The place on the far side of the triangles round a node that is nearest to another; false where there is none.
bool way_out(const mocapella_network& part, int node, const double to[2], double out[2]) {
  double best = -1.0;
  for (int k = 0; k < part.node_triangles; ++k) {
    const double* corner[2];
    const int n = others(part, k, node, corner);
    if (n < 1) continue;
    const double *a = corner[0], *b = corner[n - 1], ux = b[0] - a[0], uy = b[1] - a[1], length = ux * ux + uy * uy;
    const double share = length > 0.0 ? clamp(((to[0] - a[0]) * ux + (to[1] - a[1]) * uy) / length, 0.0, 1.0) : 0.0;
    const double x = a[0] + share * ux, y = a[1] + share * uy, far = (x - to[0]) * (x - to[0]) + (y - to[1]) * (y - to[1]);
    if (best < 0.0 || far < best) { best = far; out[0] = x; out[1] = y; }
  }
  return best >= 0.0;
}

const mocapella_network* parts_of(const mocapella_characters* c) { return c->network->whole->part; }
const Change& change_of(const mocapella_characters* c, int i) { return c->network->whole->change[c->here[i].change]; }
const double* place_of(const mocapella_characters* c, const Change& change) { return parts_of(c)[change.source].node_point + 2 * change.source_node; }
// Whether the node of the change that a character takes is in the part that it is in.
bool there(const mocapella_characters* c, int i) {
  const Here& h = c->here[i];
  const Change& change = change_of(c, i);
  return h.part == change.way || (parts_of(c)[h.part].block == change.source && parts_of(c)[h.part].node == change.source_node);
}

// Send the blending point where the next part of its way leads.
void head_for(mocapella_characters* c, int i) {
  const Here& h = c->here[i];
  const mocapella_network& part = parts_of(c)[h.part];
  double at[2] = {h.goal[0], h.goal[1]};
  if (h.activity != MOCAPELLA_FREE) {
    copy(at, place_of(c, change_of(c, i)), 16);
    if (!there(c, i)) mocapella_nearest(parts_of(c) + h.block, at[0], at[1], at);
  }
  if (part.node >= 0 && !(h.activity != MOCAPELLA_FREE && there(c, i))) {
    double gate[2];
    if (h.activity == MOCAPELLA_FREE && !h.leaving) copy(at, part.node_point + 2 * part.node, 16);
    else if (way_out(part, part.node, at, gate)) copy(at, gate, 16);
  }
  aim_at(c, i, part, at[0], at[1]);
}

// Go on in another part of the same block at the same point, with the same feet on the ground.
mocapella_status move_to(mocapella_characters* c, int i, int number) {
  const mocapella_network &from = part_of(c, i), &to = parts_of(c)[number];
  float *r = record_of(c, i), w[3];
  double at[2];
  Shown before;
  read_shown(c, i, before);
  point_of(c, i, at);
  mocapella_nearest(&to, at[0], at[1], at);
  for (int k = 0; k < 2; ++k) {
    r[POINT + k] = (float)((at[k] - to.centre[k]) / to.size);
    r[SPEED + k] = (float)(r[SPEED + k] * (from.size / to.size));
  }
  r[TRIANGLE] = as_float(find_triangle(to.tables, r[POINT], r[POINT + 1], w));
  c->here[i].part = number;
  head_for(c, i);
  if (const mocapella_status wrong = run(c, to, c->rows + i, 1, 0.0)) return wrong;
  cross_over(c, i, before);
  return MOCAPELLA_OK;
}

// Follow a character on its way to a change, or out of the triangles round a node, by one part.
mocapella_status follow_once(mocapella_characters* c, int i) {
  Here& h = c->here[i];
  const mocapella_network& part = parts_of(c)[h.part];
  double at[2];
  point_of(c, i, at);
  if (h.activity == MOCAPELLA_CALLED) {
    const Change& change = change_of(c, i);
    if (there(c, i)) {
      if (weight_of(part, change.source_node, at) >= change.zone - ROUNDING) h.activity = MOCAPELLA_WAITING;
      return MOCAPELLA_OK;
    }
    if (part.node < 0) {  // in the block: its way is entered where it begins
      double gate[2];
      const double* place = place_of(c, change);
      mocapella_nearest(&part, place[0], place[1], gate);
      const double x = at[0] - gate[0], y = at[1] - gate[1], near = NEAR * part.size;
      return weight_of(parts_of(c)[change.way], change.source_node, at) >= 0.0 || x * x + y * y < near * near ? move_to(c, i, change.way) : MOCAPELLA_OK;
    }
  } else if (h.activity != MOCAPELLA_FREE || !h.leaving || part.node < 0) {
    return MOCAPELLA_OK;
  }
  double far[2];
  const bool out = weight_of(part, part.node, at) < LEFT || !way_out(part, part.node, at, far);
  return out ? move_to(c, i, h.block) : MOCAPELLA_OK;
}

mocapella_status follow(mocapella_characters* c, int i) {
  for (int passed = 0; passed < 3; ++passed) {  // out of one way, through the block, into another
    const int part = c->here[i].part;
    if (const mocapella_status wrong = follow_once(c, i)) return wrong;
    if (c->here[i].part == part) break;
  }
  return MOCAPELLA_OK;
}

// ---- changes

// Seconds until the change that is waited for begins, by the recording whose moment comes first.
double moment_of(const mocapella_characters* c, int i, int& recording) {
  const Change& change = change_of(c, i);
  const mocapella_network& part = part_of(c, i);
  const float* r = record_of(c, i);
  double soonest = TURN;
  recording = change.first;
  for (int v = 0; v < change.versions; ++v) {
    double apart = c->network->whole->recording[change.first + v].phase - r[PHASE];
    apart -= TURN * whole_below(apart / TURN);
    if (apart > TURN - JUST_MISSED) apart = 0.0;
    if (apart < soonest) { soonest = apart; recording = change.first + v; }
  }
  if (change.at_once) { recording = change.first; return 0.0; }
  return soonest / TURN * cycle_seconds(part, r[POINT], r[POINT + 1]);
}

// Write the recorded pose of this moment, and where the character is with it.
void show_recording(mocapella_characters* c, int i) {
  const Here& h = c->here[i];
  const Recording& rec = c->network->whole->recording[h.recording];
  const int joints = c->network->tables.joints, width = 4 + 4 * joints;
  const double f = clamp(h.seconds * rec.rate, 0.0, rec.frames - 1.0);
  const int low = (int)clamp(f, 0.0, rec.frames - 2.0);
  const double u = f - low;
  // A cubic through the frames around, with their differences as slopes; rows have like signs from frame to frame.
  const double share[] = {((-0.5 * u + 1.0) * u - 0.5) * u, (1.5 * u - 2.5) * u * u + 1.0, ((-1.5 * u + 2.0) * u + 0.5) * u, (0.5 * u - 0.5) * u * u};
  const float* row[4];
  for (int k = 0; k < 4; ++k) row[k] = rec.rows + (long)width * (int)clamp(low + k - 1, 0.0, rec.frames - 1.0);
  const auto mixed = [&](int k) {
    const double first = low > 0 ? row[0][k] : 2.0 * row[1][k] - row[2][k], last = low + 2 < rec.frames ? row[3][k] : 2.0 * row[2][k] - row[1][k];
    return share[0] * first + share[1] * row[1][k] + share[2] * row[2][k] + share[3] * last;
  };
  Pose pose;
  for (int j = 0; j < joints; ++j) {
    for (int k = 0; k < 4; ++k) pose.turns[4 * j + k] = (float)mixed(4 + 4 * j + (k + 1) % 4);
    normalise(pose.turns + 4 * j);
  }
  const double left = mixed(0), ahead = mixed(1), yaw = h.yaw + mixed(3), sin = sine(h.yaw), cos = cosine(h.yaw);
  const float turn[] = {0.f, (float)sine(0.5 * yaw), 0.f, (float)cosine(0.5 * yaw)};
  const double x = h.x + left * cos + ahead * sin, z = h.z + ahead * cos - left * sin;
  multiply(turn, pose.turns, pose.turns);
  pose.root[0] = (float)x;
  pose.root[1] = (float)mixed(2);
  pose.root[2] = (float)z;
  write_pose(c, i, pose);
  float* r = record_of(c, i);
  double origin[2];
  origin_of(r, origin);
  r[X] = (float)(x - GRID * origin[0]);
  r[Z] = (float)(z - GRID * origin[1]);
  r[YAW] = (float)yaw;
  r[PHASE] = (float)rec.arrive;
  r[MARKS] = as_float((rec.planted[(int)(f + 0.5)] & 15) << PLANTED);
}

void set_out(mocapella_characters* c, int i, int recording) {
  Here& h = c->here[i];
  const float* root = pose_of(c, i);
  const double x = root[3], z = root[11];
  fade(c, i);
  Shown before;
  read_shown(c, i, before);
  h.activity = MOCAPELLA_CHANGING;
  h.recording = recording;
  h.seconds = 0.0;
  h.x = x;
  h.z = z;
  h.yaw = record_of(c, i)[YAW];
  show_recording(c, i);
  cross_over(c, i, before);
}

// Go on in the way that the change leads to, with the root where the change has brought it.
mocapella_status arrive(mocapella_characters* c, int i) {
  Here& h = c->here[i];
  const Recording& rec = c->network->whole->recording[h.recording];
  const mocapella_network& part = parts_of(c)[rec.way];
  const float *r = record_of(c, i), *root = pose_of(c, i);
  double origin[2];
  origin_of(r, origin);
  const double x = r[X] + GRID * origin[0], z = r[Z] + GRID * origin[1];
  mocapella_beginning at = {x, z, r[YAW], rec.arrive, {rec.to[0], rec.to[1]}};
  fade(c, i);
  Shown before;
  read_shown(c, i, before);
  h.part = rec.way;
  h.block = part.block;
  h.activity = MOCAPELLA_FREE;
  h.change = -1;
  h.leaving = false;
  copy(h.goal, rec.to, 16);
  for (int pass = 0; pass < 2; ++pass) {  // feet may keep the root a little off the place of a record
    write_record(c, i, part, at);
    if (const mocapella_status wrong = run(c, part, c->rows + i, 1, 0.0)) return wrong;
    at.x += x - root[3];
    at.z += z - root[11];
  }
  cross_over(c, i, before);
  return MOCAPELLA_OK;
}

// Step a character by itself: one whose change begins, is played or ends within the step.
mocapella_status step_alone(mocapella_characters* c, int i, double seconds) {
  Here& h = c->here[i];
  if (h.activity != MOCAPELLA_CHANGING) {
    int recording = 0;
    const double due = moment_of(c, i, recording);
    if (const mocapella_status wrong = run(c, part_of(c, i), c->rows + i, 1, due)) return wrong;
    pass(c, i, due);
    seconds = clamp(seconds - due, 0.0, seconds);
    set_out(c, i, recording);
  }
  const Recording& rec = c->network->whole->recording[h.recording];
  const double left = (rec.frames - 1) / rec.rate - h.seconds, played = seconds < left ? seconds : left;
  h.seconds += played;
  show_recording(c, i);
  pass(c, i, played);
  if (seconds < left) {
    fade(c, i);
    return MOCAPELLA_OK;
  }
  if (const mocapella_status wrong = arrive(c, i)) return wrong;
  seconds -= played;
  if (!(seconds > 0.0)) return MOCAPELLA_OK;
  if (const mocapella_status wrong = run(c, part_of(c, i), c->rows + i, 1, seconds)) return wrong;
  pass(c, i, seconds);
  fade(c, i);
  return MOCAPELLA_OK;
}

bool steps_alone(const mocapella_characters* c, int i, double seconds) {
  int recording = 0;
  const int doing = c->here[i].activity;
  return doing == MOCAPELLA_CHANGING || (doing == MOCAPELLA_WAITING && moment_of(c, i, recording) <= seconds);
}
}  // namespace

void settle(mocapella_characters* c, int i, int block) { c->here[i] = {block, block, MOCAPELLA_FREE, -1, 0, false, false, 0.f, {0.f, 0.f}, {0.0, 0.0}, 0.0, 0.0, 0.0, 0.0}; }

void send(mocapella_characters* c, int i, double x, double y) {
  Here& h = c->here[i];
  if (h.activity != MOCAPELLA_FREE) return;
  h.goal[0] = clamp(x, -1e9, 1e9);
  h.goal[1] = clamp(y, -1e9, 1e9);
  h.leaving = parts_of(c)[h.part].node >= 0;
  head_for(c, i);
}

mocapella_status run_by_part(mocapella_characters* c, double seconds) {
  const int parts = c->network->whole->parts;
  int* firsts = c->firsts;
  for (int k = 0; k <= parts; ++k) firsts[k] = 0;
  for (int i = 0; i < c->count; ++i)
    if (!c->here[i].alone) ++firsts[c->here[i].part + 1];
  for (int k = 0; k < parts; ++k) firsts[k + 1] += firsts[k];
  for (int i = 0; i < c->count; ++i)
    if (!c->here[i].alone) c->sorted[firsts[c->here[i].part]++] = i;
  for (int k = 0, first = 0; k < parts; first = firsts[k++])
    if (firsts[k] > first)
      if (const mocapella_status wrong = run(c, parts_of(c)[k], c->sorted + first, firsts[k] - first, seconds)) return wrong;
  return MOCAPELLA_OK;
}

mocapella_status step_by_part(mocapella_characters* c, double seconds) {
  for (int i = 0; i < c->count; ++i) {
    if (const mocapella_status wrong = follow(c, i)) return wrong;
    c->here[i].alone = steps_alone(c, i, seconds);
  }
  if (const mocapella_status wrong = run_by_part(c, seconds)) return wrong;
  for (int i = 0; i < c->count; ++i) {
    Here& h = c->here[i];
    if (h.alone) {
      h.alone = false;
      if (const mocapella_status wrong = step_alone(c, i, seconds)) return wrong;
    } else if (crossing(h)) {
      pass(c, i, seconds);
      fade(c, i);
    }
  }
  return MOCAPELLA_OK;
}
}  // namespace mocapella

using namespace mocapella;

namespace {
mocapella_status refuse(const mocapella_characters* c, int character) {
  if (!c) return fail(MOCAPELLA_BAD_ARGUMENT, "there are no characters: the pointer is null");
  if (character < MOCAPELLA_ALL || character >= c->count) return fail_at(MOCAPELLA_BAD_ARGUMENT, "there is no character ", character);
  return MOCAPELLA_OK;
}
}  // namespace

extern "C" mocapella_status mocapella_trigger(mocapella_characters* c, int character, int change) {
  if (const mocapella_status wrong = refuse(c, character)) return wrong;
  const Whole& whole = *c->network->whole;
  if (change < 0 || change >= whole.changes) return fail_at(MOCAPELLA_BAD_ARGUMENT, "there is no captured change ", change);
  const int from = character < 0 ? 0 : character, to = character < 0 ? c->count : character + 1;
  for (int i = from; i < to; ++i) {
    if (c->here[i].activity == MOCAPELLA_WAITING || c->here[i].activity == MOCAPELLA_CHANGING)
      return fail(MOCAPELLA_BAD_ARGUMENT, "a character waits for a change or plays one: ", change_of(c, i).name);
    if (c->here[i].block != whole.change[change].source) return fail(MOCAPELLA_BAD_ARGUMENT, "the change begins in another block: ", whole.part[whole.change[change].source].name);
  }
  for (int i = from; i < to; ++i) {
    c->here[i].activity = MOCAPELLA_CALLED;
    c->here[i].change = change;
    head_for(c, i);
  }
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_cancel(mocapella_characters* c, int character) {
  if (const mocapella_status wrong = refuse(c, character)) return wrong;
  for (int i = character < 0 ? 0 : character; c->here && i < (character < 0 ? c->count : character + 1); ++i) {
    Here& h = c->here[i];
    if (h.activity != MOCAPELLA_CALLED && h.activity != MOCAPELLA_WAITING) continue;
    h.activity = MOCAPELLA_FREE;
    h.change = -1;
    send(c, i, h.goal[0], h.goal[1]);
  }
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_enter(mocapella_characters* c, int character, int block, double x, double y) {
  if (const mocapella_status wrong = refuse(c, character)) return wrong;
  const Whole& whole = *c->network->whole;
  if (block < 0 || block >= whole.blocks) return fail_at(MOCAPELLA_BAD_ARGUMENT, "there is no block ", block);
  double point[2];
  if (const mocapella_status wrong = mocapella_nearest(whole.part + block, clamp(x, -1e9, 1e9), clamp(y, -1e9, 1e9), point)) return wrong;
  const int from = character < 0 ? 0 : character, to = character < 0 ? c->count : character + 1;
  for (int i = from; c->here && i < to; ++i)
    if (c->here[i].activity == MOCAPELLA_CHANGING) return fail(MOCAPELLA_BAD_ARGUMENT, "a character plays a change: ", change_of(c, i).name);
  if (!c->here) return mocapella_aim(c, character, x, y);
  for (int i = from; i < to; ++i) {
    const float* r = record_of(c, i);
    double origin[2];
    origin_of(r, origin);
    const mocapella_beginning at = {r[X] + GRID * origin[0], r[Z] + GRID * origin[1], r[YAW], r[PHASE], {point[0], point[1]}};
    Shown before;
    read_shown(c, i, before);
    settle(c, i, block);
    copy(c->here[i].goal, point, 16);
    write_record(c, i, whole.part[block], at);
    if (const mocapella_status wrong = run(c, whole.part[block], c->rows + i, 1, 0.0)) return wrong;
    cross_over(c, i, before);
  }
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_doing(const mocapella_characters* c, int character, mocapella_activity* activity, int* block, int* change, double* seconds) {
  if (const mocapella_status wrong = refuse(c, character)) return wrong;
  if (character < 0) return fail_at(MOCAPELLA_BAD_ARGUMENT, "there is no character ", character);
  const Here* h = c->here ? c->here + character : nullptr;
  if (activity) *activity = h ? (mocapella_activity)h->activity : MOCAPELLA_FREE;
  if (block) *block = h ? h->block : c->network->block;
  if (change) *change = h ? h->change : -1;
  if (seconds) *seconds = h && h->activity == MOCAPELLA_CHANGING ? h->seconds : 0.0;
  return MOCAPELLA_OK;
}
