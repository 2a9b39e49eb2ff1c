// Crossing over from one pose to another, and poses as local rotations.
#pragma once
#include "characters.h"

namespace mocapella {
struct Pose {
  float turns[4 * MOST_JOINTS];  // x y z w, each against its parent
  float root[3];
};
struct Shown {  // a pose as it was shown, with the foot points that rested: 1 left heel, 2 left toe, 4 right heel, 8 right toe
  Pose pose;
  int planted;
};
void multiply(const float* a, const float* b, float* out);  // quaternions x y z w
void normalise(float* q);                                   // what has no length becomes no rotation
void write_pose(mocapella_characters* c, int character, const Pose& pose);
void read_shown(const mocapella_characters* c, int character, Shown& shown);
// Cross over from a pose that was shown to the one that is written now; the first is shown again.
void cross_over(mocapella_characters* c, int character, const Shown& before);
inline bool crossing(const Here& h) { return h.fade > 0.f || h.hold[0] > 0.f || h.hold[1] > 0.f; }
void pass(mocapella_characters* c, int character, double seconds);  // time, after a step
void fade(mocapella_characters* c, int character);  // show what is left of the crossover in the pose that is written
}  // namespace mocapella
