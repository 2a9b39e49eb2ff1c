// Complex numbers, vectors and quaternions (w, x, y, z) of one character in float64, and its foot plants.
#pragma once
#include <math.h>
#include <string.h>

#include "foot_constants.h"
#include "player.h"

const double TURN = 6.283185307179586476925286766559;
#define INLINE static inline

struct C { double re, im; };
INLINE C operator+(C a, C b) { return {a.re + b.re, a.im + b.im}; }
INLINE C operator-(C a, C b) { return {a.re - b.re, a.im - b.im}; }
INLINE C operator*(C a, C b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
INLINE C operator*(double s, C a) { return {s * a.re, s * a.im}; }
INLINE C conj(C a) { return {a.re, -a.im}; }
INLINE double size(C a) { return hypot(a.re, a.im); }
INLINE C turned(double angle) { return {cos(angle), sin(angle)}; }
INLINE C pair(const double* p) { return {p[0], p[1]}; }
INLINE void put(double* p, C a) { p[0] = a.re; p[1] = a.im; }

struct V { double x, y, z; };
struct Q { double w, x, y, z; };
INLINE V operator+(V a, V b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
INLINE V operator-(V a, V b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
INLINE V operator*(double s, V a) { return {s * a.x, s * a.y, s * a.z}; }
INLINE double dot(V a, V b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
INLINE V cross(V a, V b) { return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x}; }
INLINE double length(V a) { return sqrt(dot(a, a)); }
INLINE V vec(const double* p) { return {p[0], p[1], p[2]}; }
INLINE Q operator*(Q a, Q b) {
  return {a.w * b.w - a.x * b.x - a.y * b.y - a.z * b.z, a.w * b.x + a.x * b.w + a.y * b.z - a.z * b.y,
          a.w * b.y - a.x * b.z + a.y * b.w + a.z * b.x, a.w * b.z + a.x * b.y - a.y * b.x + a.z * b.w};
}
INLINE Q conj(Q q) { return {q.w, -q.x, -q.y, -q.z}; }
INLINE Q seen_from(Q a, Q b) { return conj(a) * b; }
INLINE V rotate(Q q, V v) {
  const V u = {q.x, q.y, q.z}, t = 2.0 * cross(u, v);
  return v + q.w * t + cross(u, t);
}
INLINE Q about(V axis, double angle) {
  const double s = sin(0.5 * angle);
  return {cos(0.5 * angle), s * axis.x, s * axis.y, s * axis.z};
}
INLINE Q between(V u, V v) {  // the smallest rotation from one direction to another; none where one has no length
  const double w = sqrt(dot(u, u) * dot(v, v)) + dot(u, v);
  const V c = cross(u, v);
  const double far = sqrt(w * w + dot(c, c));
  if (far < 1e-12) return {1.0, 0.0, 0.0, 0.0};
  return {w / far, c.x / far, c.y / far, c.z / far};
}

INLINE double least(double a, double b) { return b < a ? b : a; }
INLINE double most(double a, double b) { return b > a ? b : a; }
INLINE double within(double x, double low, double high) { return least(most(x, low), high); }
INLINE double smoothstep(double x) { return x * x * (3.0 - 2.0 * x); }
INLINE double wrapped(double x, double lap) {  // 0 … lap
  const double r = fmod(x, lap);
  return r < 0.0 ? r + lap : r;
}

// Foot plants.

using foot::FIRM;
using foot::ROLL;
struct Arcs {
  int n;
  struct { double start, length; } own[PLAYER_ARCS];
};
void merge_arcs(Arcs& arcs, double gap);
void sort_arcs(Arcs& arcs);
void resting_arcs(Arcs arcs[4], const double heights[4][SAMPLES], double ground);
void until_heels_rise(Arcs arcs[4], const double heights[4][SAMPLES], const double swivels[2][SAMPLES]);
void level_arcs(Arcs arcs[4], const double heights[4][SAMPLES]);
void bearings_of(const Arcs arcs[4], double duration, const PlayerSettings& set, double out[SAMPLES][4]);
void plants_of(const Arcs arcs[4], double duration, const PlayerSettings& set, PlayerGait& gait);

INLINE double since_of(const PlayerPlant& p, double phase) {
  const double since = wrapped(phase - p.start, TURN);
  return since < TURN - p.approach || since < p.length ? since : since - TURN;
}
INLINE double hold_of(const PlayerPlant& p, double since) {
  if (since < 0.0) return p.firmness * smoothstep(1.0 + since / p.approach);
  if (since < p.length) return p.firmness;
  return p.firmness * smoothstep(most(0.0, 1.0 - (since - p.length) / p.release));
}
INLINE double press_of(const PlayerPlant& p, double since) {
  if (since < 0.0 || p.length >= TURN) return hold_of(p, since);
  const double left = (p.length - since) / (ROLL * p.length);
  if (left >= 1.0) return p.firmness;
  return left > 0.0 ? p.firmness * smoothstep(left) : 0.0;
}
INLINE double brake_of(const PlayerPlant& p, double since) {
  if (since < 0.0) return p.firmness * since * ((1.0 + since / p.approach) * (1.0 + since / p.approach));
  const double after = since - p.length;
  if (after <= 0.0) return 0.0;
  const double left = most(0.0, 1.0 - after / p.release);
  return p.firmness * after * (left * left);
}

// The way of a blend over the ground.

enum { HEIGHTS = 4, YAW = 6, PATH = 7 };
struct Moment {
  double phase, yaw;
  C value[8], slope[8], path;
};
struct Touch { C place, speed; double height, rise; };
struct Moments {  // moments of one gait, worked out once
  int n;
  Moment own[24];
};
struct Mixed {  // a blend: coefficients, duration and foot plants
  const double* rows;  // [n][2][stride]
  int n, stride, dofs;
  double duration;
  Arcs arcs[4];
};
void make_gait(const PlayerTables& tables, const PlayerSettings& set, const Mixed& mixed, PlayerGait& gait);
const Moment& moment_of(const PlayerGait& gait, Moments& known, double phase);
Touch touch_of(const PlayerGait& gait, Moments& known, int point, double phase);
INLINE double lift_of(const PlayerGait& g, double phase) {
  return g.lift + g.swing[0] * cos(phase) - g.swing[1] * sin(phase);
}
INLINE double own_height(const C* values, int point) {
  return point % 2 ? values[HEIGHTS + point / 2].im : values[HEIGHTS + point / 2].re;
}
INLINE double height_of(const PlayerGait& g, Moments& known, int point, double phase) {
  return own_height(moment_of(g, known, phase).value, point) + lift_of(g, phase);
}
INLINE void bearing_at(const PlayerGait& g, double phase, double out[4]) {
  const double place = phase / TURN * SAMPLES;
  const int low = (int)place;
  const double share = place - low;
  for (int p = 0; p < 4; ++p)
    out[p] = (1.0 - share) * g.bearing[low % SAMPLES][p] + share * g.bearing[(low + 1) % SAMPLES][p];
}

// Feet: bend the legs of a pose, given by its root and local rotations, so that planted feet stay.
void hold_feet(const PlayerTables& tables, const PlayerSettings& set, const PlayerGait& gait, Moments& known,
               PlayerState& state, V root, Q root_turn, double* rotations, double dt);
void anchor_body(const PlayerTables& tables, const PlayerGait& gait, PlayerState& state, Q root_turn, const double* rotations);
