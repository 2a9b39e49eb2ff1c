// Characters of other programs: begun, sent somewhere, stepped and read; what mocapella.Crowd does, in plain C.
#include "characters.h"

namespace mocapella {
namespace {
constexpr double SPRING = 3.89, NOISE_RATE = 0.6;
constexpr int OFTEN = 60;  // steps between two checks of how far characters have gone

double exponential(double x) {  // of numbers up to 0
  if (!(x > -700.0)) return 0.0;
  const int whole = (int)(x * 1.4426950408889634 - 0.5);
  const double rest = x - whole * 0.6931471805599453;
  double sum = 1.0, term = 1.0;
  for (int k = 1; k < 16; ++k) sum += term *= rest / k;
  for (int k = 0; k > whole; --k) sum *= 0.5;
  return sum;
}
int paired(double low, double high) {
  return (int)(((unsigned)(int)clamp(rounded(low), -32768.0, 32767.0) & 0xffffu) | ((unsigned)(int)clamp(rounded(high), -32768.0, 32767.0) << 16));
}
}  // namespace

void origin_of(const float* record, double at[2]) {
  const unsigned word = (unsigned)as_int(record[ORIGIN]);
  at[0] = (short)(word & 0xffffu);
  at[1] = (short)(word >> 16);
}

void point_of(const mocapella_characters* c, int character, double at[2]) {
  const mocapella_network& part = part_of(c, character);
  for (int k = 0; k < 2; ++k) at[k] = record_of(c, character)[POINT + k] * part.size + part.centre[k];
}

mocapella_status run(mocapella_characters* c, const mocapella_network& part, const int* rows, int n, double dt) {
  const Tables& t = part.tables;
  const double stiffness = c->ease > 0.0 ? SPRING / c->ease : 0.0, beats = c->time * NOISE_RATE, beat = whole_below(beats);
  const Step step = {(float)dt, (float)stiffness, (float)exponential(-stiffness * dt), 1e9f, (float)(1.0 - exponential(-dt / t.set.root_shift_time)),
                     t.harmonics, t.n_columns, (float)c->noise, (int)((long long)beat % (1 << 24)), (float)(beats - beat)};
  const int wrong = crowd_step(&t, &step, c->records, c->goals, c->count, rows, n, c->poses, c->scratch, c->order, 1);
  return wrong ? fail_at(MOCAPELLA_BAD_ARGUMENT, "the core refused a step, reason ", wrong) : MOCAPELLA_OK;
}

void aim_at(mocapella_characters* c, int character, const mocapella_network& part, double x, double y) {
  float* goal = c->goals + 2 * (long)character;
  goal[0] = (float)clamp((x - part.centre[0]) * (1.0 / part.size), part.box[0], part.box[2]);
  goal[1] = (float)clamp((y - part.centre[1]) * (1.0 / part.size), part.box[1], part.box[3]);
}

void write_record(mocapella_characters* c, int character, const mocapella_network& part, const mocapella_beginning& at) {
  aim_at(c, character, part, at.point[0], at.point[1]);
  const double steps[] = {rounded(at.x / FAR) * (FAR / GRID), rounded(at.z / FAR) * (FAR / GRID)};
  float *r = record_of(c, character), w[3];
  __builtin_memset(r, 0, 4 * WORDS);
  r[ORIGIN] = as_float(paired(steps[0], steps[1]));
  r[X] = (float)(at.x - GRID * steps[0]);
  r[Z] = (float)(at.z - GRID * steps[1]);
  r[PHASE] = (float)(at.phase - TURN * whole_below(at.phase / TURN));
  r[YAW] = (float)at.heading;
  r[MARKS] = as_float(255 << GIVE);
  r[POINT] = c->goals[2 * (long)character];
  r[POINT + 1] = c->goals[2 * (long)character + 1];
  r[TRIANGLE] = as_float(find_triangle(part.tables, r[POINT], r[POINT + 1], w));
}

namespace {
// Characters that are far from their origin get a nearer one, so that single precision holds feet still anywhere.
void recentre(mocapella_characters* c) {
  for (int i = 0; i < c->count; ++i) {
    float* r = record_of(c, i);
    if (__builtin_fabsf(r[X]) <= FAR && __builtin_fabsf(r[Z]) <= FAR) continue;
    const double steps[] = {rounded(r[X] / GRID), rounded(r[Z] / GRID)};
    if (!(steps[0] - steps[0] == 0.0) || !(steps[1] - steps[1] == 0.0)) continue;
    double at[2];
    origin_of(r, at);
    r[ORIGIN] = as_float(paired(at[0] + steps[0], at[1] + steps[1]));
    const int marks = as_int(r[MARKS]);
    for (int k = 0; k < 2; ++k) {
      const float by = (float)(steps[k] * GRID);
      r[X + k] -= by;
      for (int point = 0; point < 4; ++point)  // places move along; what is left of a displacement does not
        if (((marks >> (2 * point)) & 3) == 1) r[FEET + 2 * point + k] -= by;
    }
  }
}

mocapella_status check(const mocapella_characters* c, int character, bool all) {
  if (!c) return fail(MOCAPELLA_BAD_ARGUMENT, "there are no characters: the pointer is null");
  if (character < (all ? MOCAPELLA_ALL : 0) || character >= c->count) return fail_at(MOCAPELLA_BAD_ARGUMENT, "there is no character ", character);
  return MOCAPELLA_OK;
}

mocapella_status check_room(const mocapella_characters* c, int character, const float* out, size_t room, int each) {
  if (const mocapella_status wrong = check(c, character, true)) return wrong;
  if (!out) return fail(MOCAPELLA_BAD_ARGUMENT, "there is nowhere to write to: the pointer is null");
  const size_t needed = (size_t)each * (size_t)c->network->tables.joints * (size_t)(character < 0 ? c->count : 1);
  return room < needed ? fail_at(MOCAPELLA_BAD_ARGUMENT, "there is not room enough; floats that are needed: ", (long long)needed) : MOCAPELLA_OK;
}

int first_of(int character) { return character < 0 ? 0 : character; }
int end_of(const mocapella_characters* c, int character) { return character < 0 ? c->count : character + 1; }
}  // namespace

void quaternion_of(const double m[9], float* out) {
  const double trace = m[0] + m[4] + m[8];
  double q[4];
  int most = 3;
  if (trace < m[0] || trace < m[4] || trace < m[8]) most = m[0] >= m[4] && m[0] >= m[8] ? 0 : m[4] >= m[8] ? 1 : 2;
  if (most == 3) {
    q[0] = m[7] - m[5]; q[1] = m[2] - m[6]; q[2] = m[3] - m[1]; q[3] = 1.0 + trace;
  } else {
    const int i = most, j = (i + 1) % 3, k = (i + 2) % 3;
    q[i] = 1.0 + m[4 * i] - m[4 * j] - m[4 * k];
    q[j] = m[3 * j + i] + m[3 * i + j];
    q[k] = m[3 * k + i] + m[3 * i + k];
    q[3] = m[3 * k + j] - m[3 * j + k];
  }
  const double size = __builtin_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]), by = (q[3] < 0.0 ? -1.0 : 1.0) / (size > 0.0 ? size : 1.0);
  for (int k = 0; k < 4; ++k) out[k] = (float)(by * q[k]);
}

void local_of(const mocapella_characters* c, int character, int joint, float out[7]) {
  const Tables& t = c->network->tables;
  const int p = t.parent[joint];
  const float* pose = pose_of(c, character);
  const float *own = pose + 12 * joint, *above = pose + 12 * (p < 0 ? 0 : p);
  double m[9];
  for (int r = 0; r < 3; ++r)
    for (int k = 0; k < 3; ++k)
      m[3 * r + k] = p < 0 ? own[4 * r + k] : (double)above[r] * own[k] + (double)above[4 + r] * own[4 + k] + (double)above[8 + r] * own[8 + k];
  for (int k = 0; k < 3; ++k) out[k] = p < 0 ? own[4 * k + 3] : t.offset[3 * joint + k];
  quaternion_of(m, out + 3);
}
}  // namespace mocapella

using namespace mocapella;

extern "C" mocapella_status mocapella_create(const mocapella_network* network, int count, mocapella_characters** characters) {
  if (!network || !characters) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_create got a null pointer");
  if (count < 1 || count > MOCAPELLA_MOST_CHARACTERS) return fail_at(MOCAPELLA_BAD_ARGUMENT, "the number of characters is out of range: ", count);
  const Whole& whole = *network->whole;
  const bool hybrid = whole.parts > 1 || whole.changes > 0;
  const unsigned long long n = (unsigned long long)count, joints = (unsigned long long)network->tables.joints;
  const unsigned long long sizes[] = {sizeof(mocapella_characters), 4 * WORDS * n, 8 * n, 48 * n * joints, 24 * n, 4 * n, 4 * (n + 2 * (unsigned long long)whole.triangles + 2),
                                      hybrid * n * sizeof(Here), hybrid * n * 4 * (unsigned long long)offsets_of(network->tables.joints), hybrid * 4 * n, hybrid * 4 * (unsigned long long)(whole.parts + 1)};
  constexpr int PARTS = sizeof sizes / sizeof *sizes;
  unsigned long long all = 0;
  for (const unsigned long long size : sizes) all += (size + 63) & ~63ull;
  unsigned char* at = all == (size_t)all ? (unsigned char*)malloc((size_t)all) : nullptr;
  if (!at) return fail(MOCAPELLA_NO_MEMORY, "there is no memory for these characters");
  __builtin_memset(at, 0, (size_t)all);
  mocapella_characters* c = (mocapella_characters*)at;
  void* parts[PARTS];
  for (int k = 0; k < PARTS; ++k) { parts[k] = k < 7 || hybrid ? at : nullptr; at += (sizes[k] + 63) & ~63ull; }
  *c = {network, count, 0, 0.3, 0.0, 0.0, (float*)parts[1], (float*)parts[2], (float*)parts[3], (float*)parts[4], (int*)parts[5], (int*)parts[6],
        (Here*)parts[7], (float*)parts[8], (int*)parts[9], (int*)parts[10]};
  for (int i = 0; i < count; ++i) {
    c->rows[i] = i;
    if (hybrid) settle(c, i, network->block);
  }
  keep(network->whole);
  mocapella_beginning begin = {0.0, 0.0, 0.0, 0.0, {network->node_point[0], network->node_point[1]}};
  if (const mocapella_status wrong = mocapella_begin(c, MOCAPELLA_ALL, &begin)) {
    mocapella_free(c);
    return wrong;
  }
  *characters = c;
  return MOCAPELLA_OK;
}

extern "C" void mocapella_free(mocapella_characters* c) {
  if (!c) return;
  drop(c->network->whole);
  free(c);
}

extern "C" mocapella_status mocapella_begin(mocapella_characters* c, int character, const mocapella_beginning* at) {
  if (const mocapella_status wrong = check(c, character, true)) return wrong;
  if (!at) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_begin got no beginning");
  const double given[] = {at->x, at->z, at->heading, at->phase, at->point[0], at->point[1]};
  for (const double x : given)
    if (!(x >= -1e6 && x <= 1e6)) return fail(MOCAPELLA_BAD_ARGUMENT, "where a character begins is NaN, infinite or beyond a million");
  for (int i = first_of(character); i < end_of(c, character); ++i) {
    if (c->here) {
      settle(c, i, c->here[i].block);
      copy(c->here[i].goal, at->point, 16);
    }
    write_record(c, i, part_of(c, i), *at);
  }
  if (c->here && character < 0) return run_by_part(c, 0.0);
  return run(c, part_of(c, first_of(character)), c->rows + first_of(character), character < 0 ? c->count : 1, 0.0);
}

extern "C" mocapella_status mocapella_aim(mocapella_characters* c, int character, double x, double y) {
  if (const mocapella_status wrong = check(c, character, true)) return wrong;
  if (!finite(x) || !finite(y)) return fail(MOCAPELLA_BAD_ARGUMENT, "a point is NaN or infinite");
  for (int i = first_of(character); i < end_of(c, character); ++i) {
    if (c->here) send(c, i, x, y);
    else aim_at(c, i, *c->network, x, y);
  }
  return MOCAPELLA_OK;
}

namespace {
// The blending point for a turn rate and a speed, in the plane.
void steered_to(const mocapella_network& n, double turn, double speed, double goal[2]) {
  const int last = n.cells - 1;
  const double a = clamp((turn - n.low[0]) / (n.high[0] - n.low[0]) * last, 0.0, last), b = clamp((speed - n.low[1]) / (n.high[1] - n.low[1]) * last, 0.0, last);
  const int i = (int)clamp(a, 0.0, last - 1.0), j = (int)clamp(b, 0.0, last - 1.0);
  for (int k = 0; k < 2; ++k) {
    const float* row = n.rate_points + 2 * ((long)i * n.cells + j) + k;
    const float* next = row + 2 * n.cells;
    const double u = a - i, v = b - j;
    goal[k] = ((1.0 - u) * ((1.0 - v) * row[0] + v * row[2]) + u * ((1.0 - v) * next[0] + v * next[2])) * n.size + n.centre[k];
  }
}
}  // namespace

extern "C" mocapella_status mocapella_steer(mocapella_characters* c, int character, double turn, double speed) {
  if (const mocapella_status wrong = check(c, character, true)) return wrong;
  if (!finite(turn) || !finite(speed)) return fail(MOCAPELLA_BAD_ARGUMENT, "a turn rate or a speed is NaN or infinite");
  double goal[2];
  for (int i = first_of(character); i < end_of(c, character); ++i) {
    if (c->here || i == first_of(character)) steered_to(c->network->whole->part[c->here ? c->here[i].block : c->network->block], turn, speed, goal);
    if (c->here) send(c, i, goal[0], goal[1]);
    else aim_at(c, i, *c->network, goal[0], goal[1]);
  }
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_set_ease(mocapella_characters* c, double seconds) {
  if (!c || !(seconds >= 0.0 && seconds <= 60.0)) return fail(MOCAPELLA_BAD_ARGUMENT, c ? "ease is from 0 to 60 seconds" : "there are no characters: the pointer is null");
  c->ease = seconds;
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_set_noise(mocapella_characters* c, double radians) {
  if (!c || !(radians >= 0.0 && radians <= 1.0)) return fail(MOCAPELLA_BAD_ARGUMENT, c ? "noise is from 0 to 1 radian" : "there are no characters: the pointer is null");
  c->noise = radians;
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_step(mocapella_characters* c, double seconds) {
  if (!c || !(seconds >= 0.0 && seconds <= 3600.0)) return fail(MOCAPELLA_BAD_ARGUMENT, c ? "a step is from 0 to 3600 seconds" : "there are no characters: the pointer is null");
  c->time += seconds;
  if (const mocapella_status wrong = c->here ? step_by_part(c, seconds) : run(c, *c->network, c->rows, c->count, seconds)) return wrong;
  if (++c->steps % OFTEN == 0) recentre(c);
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_matrices(const mocapella_characters* c, int character, float* out, size_t room) {
  if (const mocapella_status wrong = check_room(c, character, out, room, 12)) return wrong;
  const int first = first_of(character);
  copy(out, pose_of(c, first), 48 * (size_t)c->network->tables.joints * (size_t)(end_of(c, character) - first));
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_positions(const mocapella_characters* c, int character, float* out, size_t room) {
  if (const mocapella_status wrong = check_room(c, character, out, room, 3)) return wrong;
  const int joints = c->network->tables.joints;
  for (int i = first_of(character); i < end_of(c, character); ++i, out += 3 * joints)
    for (int j = 0; j < joints; ++j)
      for (int k = 0; k < 3; ++k) out[3 * j + k] = pose_of(c, i)[12 * j + 4 * k + 3];
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_locals(const mocapella_characters* c, int character, float* out, size_t room) {
  if (const mocapella_status wrong = check_room(c, character, out, room, 7)) return wrong;
  for (int i = first_of(character); i < end_of(c, character); ++i)
    for (int j = 0; j < c->network->tables.joints; ++j, out += 7) local_of(c, i, j, out);
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_now(const mocapella_characters* c, int character, mocapella_state* state) {
  if (const mocapella_status wrong = check(c, character, false)) return wrong;
  if (!state) return fail(MOCAPELLA_BAD_ARGUMENT, "there is nowhere to write to: the pointer is null");
  const mocapella_network& n = part_of(c, character);
  const float* r = record_of(c, character);
  double origin[2];
  origin_of(r, origin);
  *state = {r[X] + GRID * origin[0], r[Z] + GRID * origin[1], r[YAW], r[PHASE], {}, {}, (as_int(r[MARKS]) >> PLANTED) & 15};
  point_of(c, character, state->point);
  for (int k = 0; k < 2; ++k) state->goal[k] = c->goals[2 * (long)character + k] * n.size + n.centre[k];
  return MOCAPELLA_OK;
}
