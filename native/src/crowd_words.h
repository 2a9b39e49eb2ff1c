// What the parts of the crowd core share: the words of a record, the numbers of a gait, small functions.
#pragma once
#include "crowd.h"
#include "foot_constants.h"
#include "lanes.h"

namespace {
constexpr float TAU = 6.283185307179586f, PER_TAU = 0.15915494309189535f, FULL = TAU - 1e-4f, FIRM = float(foot::FIRM);
// Words of a record, as mocapella/crowd/state.py has them; numbers of a gait; states and bits of MARKS.
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
}  // namespace
