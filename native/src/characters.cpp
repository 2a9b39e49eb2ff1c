// Characters of other programs: begun, sent somewhere, stepped and read; what mocapella.Crowd does, in plain C.
#include "network.h"

namespace {
enum { POINT, SPEED = 2, PHASE = 4, X, Z, YAW, MARKS = 20, HOLDS, ORIGIN, TRIANGLE };  // words of a record
enum { FEET = 12, GIVE = 16, PLANTED = 24 };
constexpr double TURN = 6.283185307179586, GRID = 64.0, FAR = 128.0, SPRING = 3.89, NOISE_RATE = 0.6;
constexpr int OFTEN = 60;  // steps between two checks of how far characters have gone
}  // namespace

struct mocapella_characters {
  const mocapella_network* network;
  int count;
  long steps;
  double ease, noise, time;
  float *records, *goals, *poses, *scratch;
  int *rows, *order;
};

using namespace mocapella;

namespace {
double rounded(double x) { const double magic = 6755399441055744.0; return (x + magic) - magic; }  // |x| < 2^51
double whole_below(double x) { const double r = rounded(x); return r > x ? r - 1.0 : r; }
int as_int(float x) { int i; copy(&i, &x, 4); return i; }
float as_float(int i) { float x; copy(&x, &i, 4); return x; }
int paired(double low, double high) {
  return (int)(((unsigned)(int)clamp(rounded(low), -32768.0, 32767.0) & 0xffffu) | ((unsigned)(int)clamp(rounded(high), -32768.0, 32767.0) << 16));
}
void origin_of(const float* record, double at[2]) {
  const unsigned word = (unsigned)as_int(record[ORIGIN]);
  at[0] = (short)(word & 0xffffu);
  at[1] = (short)(word >> 16);
}

mocapella_status run(mocapella_characters* c, const int* rows, int n, double dt) {
  const Tables& t = c->network->tables;
  const double stiffness = c->ease > 0.0 ? SPRING / c->ease : 0.0, beats = c->time * NOISE_RATE, beat = whole_below(beats);
  const Step step = {(float)dt, (float)stiffness, (float)exponential(-stiffness * dt), 1e9f, (float)(1.0 - exponential(-dt / t.set.root_shift_time)),
                     t.harmonics, t.n_columns, (float)c->noise, (int)((long long)beat % (1 << 24)), (float)(beats - beat)};
  const int wrong = crowd_step(&t, &step, c->records, c->goals, c->count, rows, n, c->poses, c->scratch, c->order, 1);
  return wrong ? fail_at(MOCAPELLA_BAD_ARGUMENT, "the core refused a step, reason ", wrong) : MOCAPELLA_OK;
}

void set_goal(mocapella_characters* c, int character, double x, double y) {
  const float* box = c->network->box;
  for (int i = character < 0 ? 0 : character; i < (character < 0 ? c->count : character + 1); ++i) {
    c->goals[2 * (long)i] = (float)clamp(x, box[0], box[2]);
    c->goals[2 * (long)i + 1] = (float)clamp(y, box[1], box[3]);
  }
}

// Characters that are far from their origin get a nearer one, so that single precision holds feet still anywhere.
void recentre(mocapella_characters* c) {
  for (int i = 0; i < c->count; ++i) {
    float* r = c->records + 24 * (long)i;
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
  if (const mocapella_status wrong = check(c, character, false)) return wrong;
  if (!out) return fail(MOCAPELLA_BAD_ARGUMENT, "there is nowhere to write to: the pointer is null");
  const size_t needed = (size_t)each * (size_t)c->network->tables.joints;
  return room < needed ? fail_at(MOCAPELLA_BAD_ARGUMENT, "there is not room enough; floats that are needed: ", (long long)needed) : MOCAPELLA_OK;
}

const float* pose_of(const mocapella_characters* c, int character) { return c->poses + 12 * (long)character * c->network->tables.joints; }

void quaternion_of(const double m[9], float* out) {  // x y z w, with w from 0 on
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
}  // namespace

extern "C" mocapella_status mocapella_create(const mocapella_network* network, int count, mocapella_characters** characters) {
  if (!network || !characters) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_create got a null pointer");
  if (count < 1 || count > MOCAPELLA_MOST_CHARACTERS) return fail_at(MOCAPELLA_BAD_ARGUMENT, "the number of characters is out of range: ", count);
  const Tables& t = network->tables;
  const size_t n = (size_t)count, sizes[] = {sizeof(mocapella_characters), 4 * WORDS * n, 8 * n, 48 * n * (size_t)t.joints, 24 * n, 4 * n, 4 * (n + 2 * (size_t)t.triangles + 2)};
  size_t all = 0;
  for (const size_t size : sizes) all += (size + 63) & ~(size_t)63;
  unsigned char* at = (unsigned char*)malloc(all);
  if (!at) return fail(MOCAPELLA_NO_MEMORY, "there is no memory for these characters");
  __builtin_memset(at, 0, all);
  mocapella_characters* c = (mocapella_characters*)at;
  void* parts[7];
  for (int k = 0; k < 7; ++k) { parts[k] = at; at += (sizes[k] + 63) & ~(size_t)63; }
  *c = {network, count, 0, 0.3, 0.0, 0.0, (float*)parts[1], (float*)parts[2], (float*)parts[3], (float*)parts[4], (int*)parts[5], (int*)parts[6]};
  for (int i = 0; i < count; ++i) c->rows[i] = i;
  keep(network);
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
  mocapella_network_free(const_cast<mocapella_network*>(c->network));
  free(c);
}

extern "C" mocapella_status mocapella_begin(mocapella_characters* c, int character, const mocapella_beginning* at) {
  if (const mocapella_status wrong = check(c, character, true)) return wrong;
  if (!at) return fail(MOCAPELLA_BAD_ARGUMENT, "mocapella_begin got no beginning");
  const double given[] = {at->x, at->z, at->heading, at->phase, at->point[0], at->point[1]};
  for (const double x : given)
    if (!(x >= -1e6 && x <= 1e6)) return fail(MOCAPELLA_BAD_ARGUMENT, "where a character begins is NaN, infinite or beyond a million");
  const mocapella_network& n = *c->network;
  set_goal(c, character, (at->point[0] - n.centre[0]) * (1.0 / n.size), (at->point[1] - n.centre[1]) * (1.0 / n.size));
  const double steps[] = {rounded(at->x / FAR) * (FAR / GRID), rounded(at->z / FAR) * (FAR / GRID)};
  for (int i = character < 0 ? 0 : character; i < (character < 0 ? c->count : character + 1); ++i) {
    float *r = c->records + 24 * (long)i, w[3];
    __builtin_memset(r, 0, 4 * WORDS);
    r[ORIGIN] = as_float(paired(steps[0], steps[1]));
    r[X] = (float)(at->x - GRID * steps[0]);
    r[Z] = (float)(at->z - GRID * steps[1]);
    r[PHASE] = (float)(at->phase - TURN * whole_below(at->phase / TURN));
    r[YAW] = (float)at->heading;
    r[MARKS] = as_float(255 << GIVE);
    r[POINT] = c->goals[2 * (long)i];
    r[POINT + 1] = c->goals[2 * (long)i + 1];
    r[TRIANGLE] = as_float(find_triangle(n.tables, r[POINT], r[POINT + 1], w));
  }
  return run(c, character < 0 ? c->rows : c->rows + character, character < 0 ? c->count : 1, 0.0);
}

extern "C" mocapella_status mocapella_aim(mocapella_characters* c, int character, double x, double y) {
  if (const mocapella_status wrong = check(c, character, true)) return wrong;
  if (!finite(x) || !finite(y)) return fail(MOCAPELLA_BAD_ARGUMENT, "a point is NaN or infinite");
  const mocapella_network& n = *c->network;
  set_goal(c, character, (x - n.centre[0]) * (1.0 / n.size), (y - n.centre[1]) * (1.0 / n.size));
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_steer(mocapella_characters* c, int character, double turn, double speed) {
  if (const mocapella_status wrong = check(c, character, true)) return wrong;
  if (!finite(turn) || !finite(speed)) return fail(MOCAPELLA_BAD_ARGUMENT, "a turn rate or a speed is NaN or infinite");
  const mocapella_network& n = *c->network;
  const int last = n.cells - 1;
  const double a = clamp((turn - n.low[0]) / (n.high[0] - n.low[0]) * last, 0.0, last), b = clamp((speed - n.low[1]) / (n.high[1] - n.low[1]) * last, 0.0, last);
  const int i = (int)clamp(a, 0.0, last - 1.0), j = (int)clamp(b, 0.0, last - 1.0);
  double goal[2];
  for (int k = 0; k < 2; ++k) {
    const float* row = n.rate_points + 2 * ((long)i * n.cells + j) + k;
    const float* next = row + 2 * n.cells;
    const double u = a - i, v = b - j;
    goal[k] = (1.0 - u) * ((1.0 - v) * row[0] + v * row[2]) + u * ((1.0 - v) * next[0] + v * next[2]);
  }
  set_goal(c, character, goal[0], goal[1]);
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
  if (const mocapella_status wrong = run(c, c->rows, c->count, seconds)) return wrong;
  if (++c->steps % OFTEN == 0) recentre(c);
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_matrices(const mocapella_characters* c, int character, float* out, size_t room) {
  if (const mocapella_status wrong = check_room(c, character, out, room, 12)) return wrong;
  copy(out, pose_of(c, character), 48 * (size_t)c->network->tables.joints);
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_positions(const mocapella_characters* c, int character, float* out, size_t room) {
  if (const mocapella_status wrong = check_room(c, character, out, room, 3)) return wrong;
  const float* pose = pose_of(c, character);
  for (int j = 0; j < c->network->tables.joints; ++j)
    for (int k = 0; k < 3; ++k) out[3 * j + k] = pose[12 * j + 4 * k + 3];
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_locals(const mocapella_characters* c, int character, float* out, size_t room) {
  if (const mocapella_status wrong = check_room(c, character, out, room, 7)) return wrong;
  const float* pose = pose_of(c, character);
  const Tables& t = c->network->tables;
  for (int j = 0; j < t.joints; ++j) {
    const int p = t.parent[j];
    const float *own = pose + 12 * j, *above = pose + 12 * (p < 0 ? 0 : p);
    double m[9];
    for (int r = 0; r < 3; ++r)
      for (int k = 0; k < 3; ++k)
        m[3 * r + k] = p < 0 ? own[4 * r + k] : (double)above[r] * own[k] + (double)above[4 + r] * own[4 + k] + (double)above[8 + r] * own[8 + k];
    for (int k = 0; k < 3; ++k) out[7 * j + k] = p < 0 ? own[4 * k + 3] : t.offset[3 * j + k];
    quaternion_of(m, out + 7 * j + 3);
  }
  return MOCAPELLA_OK;
}

extern "C" mocapella_status mocapella_now(const mocapella_characters* c, int character, mocapella_state* state) {
  if (const mocapella_status wrong = check(c, character, false)) return wrong;
  if (!state) return fail(MOCAPELLA_BAD_ARGUMENT, "there is nowhere to write to: the pointer is null");
  const mocapella_network& n = *c->network;
  const float* r = c->records + 24 * (long)character;
  double origin[2];
  origin_of(r, origin);
  *state = {r[X] + GRID * origin[0], r[Z] + GRID * origin[1], r[YAW], r[PHASE], {}, {}, (as_int(r[MARKS]) >> PLANTED) & 15};
  for (int k = 0; k < 2; ++k) {
    state->point[k] = r[POINT + k] * n.size + n.centre[k];
    state->goal[k] = c->goals[2 * (long)character + k] * n.size + n.centre[k];
  }
  return MOCAPELLA_OK;
}
