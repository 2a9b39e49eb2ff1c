// A set of characters, and what stepping and changing them share.
#pragma once
#include "network.h"

namespace mocapella {
enum { POINT, SPEED = 2, PHASE = 4, X, Z, YAW, MARKS = 20, HOLDS, ORIGIN, TRIANGLE };  // words of a record
enum { FEET = 12, GIVE = 16, PLANTED = 24 };
constexpr double TURN = 6.283185307179586, GRID = 64.0, FAR = 128.0;

// Where a character of a hybrid network is: its part and block, the change that it takes, and the poses that fade.
struct Here {
  int part, block, activity, change, recording;
  bool leaving;    // a way, since the blending point was sent elsewhere
  bool alone;      // in this step: its change begins, is played or ends
  float fade;      // seconds left of the crossover from other poses
  float hold[2];   // seconds left in which a foot that was held where it stood goes over to where it belongs
  double goal[2];  // of the blending point, in the plane of the block
  double seconds, x, z, yaw;  // of the change that is played, and where it began
};
}  // namespace mocapella

struct mocapella_characters {
  const mocapella_network* network;  // the block in which they were made
  int count;
  long steps;
  double ease, noise, time;
  float *records, *goals, *poses, *scratch;
  int *rows, *order;
  // Of hybrid networks; else null.
  mocapella::Here* here;
  float* offsets;        // [count][offsets_of(joints)]: by what poses differed at a crossover: turns x y z w, the root's place, then
                         // of each foot: turn about the vertical y w, the rest of its turn x y z w, its place, the point that rests
  int *sorted, *firsts;  // rows by part, and where those of each part begin
};

namespace mocapella {
constexpr int FOOT = 12;  // numbers of a foot
inline int offsets_of(int joints) { return 4 * joints + 3 + 2 * FOOT; }
inline double rounded(double x) { const double magic = 6755399441055744.0; return (x + magic) - magic; }  // |x| < 2^51
inline double whole_below(double x) { const double r = rounded(x); return r > x ? r - 1.0 : r; }
inline int as_int(float x) { int i; copy(&i, &x, 4); return i; }
inline float as_float(int i) { float x; copy(&x, &i, 4); return x; }
inline const mocapella_network& part_of(const mocapella_characters* c, int character) {
  return c->here ? c->network->whole->part[c->here[character].part] : *c->network;
}
inline float* record_of(const mocapella_characters* c, int character) { return c->records + WORDS * (long)character; }
inline float* pose_of(const mocapella_characters* c, int character) { return c->poses + 12 * (long)character * c->network->tables.joints; }
void point_of(const mocapella_characters* c, int character, double at[2]);  // the blending point, in the plane
void origin_of(const float* record, double at[2]);
void quaternion_of(const double m[9], float* out);  // x y z w, with w from 0 on
// One of its joints, against its parent: position x y z, quaternion x y z w.
void local_of(const mocapella_characters* c, int character, int joint, float out[7]);
// Step some characters that are in one part.
mocapella_status run(mocapella_characters* c, const mocapella_network& part, const int* rows, int n, double dt);
// The record of a character that begins somewhere in a part, with its blending point at rest.
void write_record(mocapella_characters* c, int character, const mocapella_network& part, const mocapella_beginning& at);
void aim_at(mocapella_characters* c, int character, const mocapella_network& part, double x, double y);  // in the plane

// Characters of hybrid networks (changes.cpp).
void settle(mocapella_characters* c, int character, int block);          // in a block, with nothing under way
void send(mocapella_characters* c, int character, double x, double y);   // a goal in the plane of the block
mocapella_status run_by_part(mocapella_characters* c, double seconds);   // all but those that step alone
mocapella_status step_by_part(mocapella_characters* c, double seconds);
}  // namespace mocapella
