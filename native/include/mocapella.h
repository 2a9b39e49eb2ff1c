/* mocapella: characters of a network in other programs.
 *
 * A network is loaded from a .mocar file (`mocapella export NET.moca --for c -o net.mocar`). Characters play it: each
 * has a blending point in the network's plane, which is sent somewhere (mocapella_aim) or chosen for a turn rate and a
 * speed (mocapella_steer); a step moves all of them on, with planted feet held on the ground. A hybrid network has
 * several blocks, each with a plane of its own, and captured changes between them (mocapella_trigger).
 *
 * Units: metres, radians, seconds. Right-handed, +y up, a character with heading 0 faces +z, +x is to its left, and
 * positive headings and turns go to the left. Points are in the network's own units (built networks: degrees per second
 * and metres per second).
 *
 * Every function that can fail returns a status, and on failure changes nothing that its arguments point to; the reason
 * is told by mocapella_error() in the same thread. Null pointers, numbers out of range, NaN and infinity are refused. A network is
 * not changed after it was loaded: any number of threads may use it at once. Characters made by one call belong to one
 * thread at a time; sets of characters may be stepped in different threads at once.
 *
 * The interface is plain C99. Functions are added, never changed, while MOCAPELLA_API_VERSION stays the same.
 */
#ifndef MOCAPELLA_H
#define MOCAPELLA_H

#include <stddef.h>

#if defined(_WIN32) && defined(MOCAPELLA_SHARED)
#define MOCAPELLA_EXPORT __declspec(dllexport)
#elif defined(__GNUC__)
#define MOCAPELLA_EXPORT __attribute__((visibility("default")))
#else
#define MOCAPELLA_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define MOCAPELLA_API_VERSION 1
#define MOCAPELLA_LARGEST_FILE 268435456 /* bytes; larger ones are refused before memory is taken */
#define MOCAPELLA_MOST_CHARACTERS 1000000
#define MOCAPELLA_ALL (-1) /* for `character`: every character of the set */

typedef enum {
  MOCAPELLA_OK = 0,
  MOCAPELLA_BAD_ARGUMENT = 1, /* a null pointer, a number out of range, NaN, too little room */
  MOCAPELLA_BAD_FILE = 2,     /* damaged, of another version, or not a .mocar file */
  MOCAPELLA_CANNOT_READ = 3,  /* the file is not there, or reading it failed */
  MOCAPELLA_NO_MEMORY = 4
} mocapella_status;

typedef struct mocapella_network mocapella_network;
typedef struct mocapella_characters mocapella_characters;

/* ---- the library */

/* The MOCAPELLA_API_VERSION of the compiled library, which may differ from that of this header. */
MOCAPELLA_EXPORT int mocapella_api_version(void);
/* Why the last call of this thread failed, in English; "" before the first failure. Valid until the next failure. */
MOCAPELLA_EXPORT const char* mocapella_error(void);

/* ---- networks */

/* Read the .mocar file at `path` (UTF-8) into `network`, to be given to mocapella_network_free. Of a hybrid network
 * `network` is the first block; mocapella_block has the others. */
MOCAPELLA_EXPORT mocapella_status mocapella_load(const char* path, mocapella_network** network);
/* The same from memory: `size` bytes of a .mocar file, of which nothing is kept, into `network`. */
MOCAPELLA_EXPORT mocapella_status mocapella_parse(const void* bytes, size_t size, mocapella_network** network);
/* Free a `network`. Characters keep theirs: it may be freed before them. Null and blocks of mocapella_block are
 * ignored. */
MOCAPELLA_EXPORT void mocapella_network_free(mocapella_network* network);

typedef enum {
  MOCAPELLA_JOINTS = 0,    /* of the skeleton */
  MOCAPELLA_ENDS = 1,      /* end sites: tips of heads, hands and feet */
  MOCAPELLA_NODES = 2,     /* captured motions of the network */
  MOCAPELLA_TRIANGLES = 3, /* between nodes */
  MOCAPELLA_OUTLINE = 4,   /* corners of the network's outline */
  MOCAPELLA_HARMONICS = 5,
  MOCAPELLA_BLOCKS = 6,    /* of a hybrid network; 1 of others */
  MOCAPELLA_CHANGES = 7    /* captured, between or within blocks */
} mocapella_thing;
/* How many of `what` the `network` has, into `count`. */
MOCAPELLA_EXPORT mocapella_status mocapella_count(const mocapella_network* network, mocapella_thing what, int* count);

/* A joint of the `network`, `joint` from 0 on: name (UTF-8, belongs to the network), parent (-1: the root; parents come before children), and offset from
 * its parent. Any of the three may be null. */
MOCAPELLA_EXPORT mocapella_status mocapella_joint(const mocapella_network* network, int joint, const char** name,
                                                  int* parent, float offset[3]);
/* An end site of the `network`, `end` from 0 on: the `joint` that it hangs on, and its `offset` from it, metres. */
MOCAPELLA_EXPORT mocapella_status mocapella_end(const mocapella_network* network, int end, int* joint, float offset[3]);
/* A node of the `network`, `node` from 0 on: its `name`, and the `point` of the plane where it lies. Either may be
 * null. */
MOCAPELLA_EXPORT mocapella_status mocapella_node(const mocapella_network* network, int node, const char** name,
                                                 double point[2]);
/* The `nodes` of a `triangle` of the `network`, counted from 0; -1 for those that a segment or a single node has not. */
MOCAPELLA_EXPORT mocapella_status mocapella_triangle(const mocapella_network* network, int triangle, int nodes[3]);
/* The `point` of a `corner` of the outline, counted from 0 in order round the `network`; `loop` counts outlines, where holes or islands make several. */
MOCAPELLA_EXPORT mocapella_status mocapella_outline(const mocapella_network* network, int corner, double point[2],
                                                    int* loop);
/* The `point` of the `network` that is nearest to the place (x, y) of the plane. */
MOCAPELLA_EXPORT mocapella_status mocapella_nearest(const mocapella_network* network, double x, double y,
                                                    double point[2]);
/* Rates at the point (x, y) of the `network`: `turn` (rad/s), `speed` (m/s) and `seconds` of a cycle. Each may be
 * null. */
MOCAPELLA_EXPORT mocapella_status mocapella_rates(const mocapella_network* network, double x, double y, float* turn,
                                                  float* speed, float* seconds);

/* A `block` of the `network`, counted from 0: its `name`, and as `own` its nodes, triangles, outline and rates as a network, which belongs to the one asked. Either may
 * be null. */
MOCAPELLA_EXPORT mocapella_status mocapella_block(const mocapella_network* network, int block, const char** name,
                                                  const mocapella_network** own);

typedef struct {
  const char* name;        /* UTF-8, belongs to the network */
  int source, source_node; /* the block that it leads from, and the node there at which it begins */
  int target, target_node; /* the block that it leads to, and the node there at which it ends */
  double at[2];            /* the place of the first node, where the blending point has to be */
  double to[2];            /* the place of the second one, where the blending point is afterwards */
  double phase;            /* of the cycle, radians, at which it begins; below zero: at once */
  double mirrored_phase;   /* at which its mirror image begins, if that comes first; below zero: there is none */
  double seconds;          /* that it lasts */
} mocapella_change_info;
/* The captured `change` of the `network`, counted from 0, into `info`. */
MOCAPELLA_EXPORT mocapella_status mocapella_change(const mocapella_network* network, int change,
                                                   mocapella_change_info* info);

/* ---- characters */

/* Make `count` `characters` that stand at the origin, facing +z, at cycle phase 0, with the blending point at the first
 * node of the block that is given as `network`; to be given to mocapella_free. */
MOCAPELLA_EXPORT mocapella_status mocapella_create(const mocapella_network* network, int count,
                                                   mocapella_characters** characters);
/* Free `characters`; null is ignored. */
MOCAPELLA_EXPORT void mocapella_free(mocapella_characters* characters);

typedef struct {
  double x, z;     /* on the ground; within 1,000 km */
  double heading;  /* radians */
  double phase;    /* of the cycle, radians */
  double point[2]; /* blending point */
} mocapella_beginning;
/* Begin again `at` a place in the same block: state and pose of a `character` of the `characters` are made anew. From
 * here on `character` counts from 0, or is MOCAPELLA_ALL where nothing else is said. */
MOCAPELLA_EXPORT mocapella_status mocapella_begin(mocapella_characters* characters, int character,
                                                  const mocapella_beginning* at);

/* Send the blending point of a `character` of the `characters` to (x, y) in the plane of its block; outside of the
 * network it goes to the outline. Neither this nor mocapella_steer has an effect from mocapella_trigger until the change has been played. */
MOCAPELLA_EXPORT mocapella_status mocapella_aim(mocapella_characters* characters, int character, double x, double y);
/* Send the blending point of a `character` of the `characters` to the blend with this turn rate, `turn` (rad/s), and
 * `speed` (m/s), or the nearest. */
MOCAPELLA_EXPORT mocapella_status mocapella_steer(mocapella_characters* characters, int character, double turn, double speed);
/* Set the `seconds` in which blending points of the `characters` cover 90 % of their way, 0 to 60; 0.3 at first, 0:
 * points jump. */
MOCAPELLA_EXPORT mocapella_status mocapella_set_ease(mocapella_characters* characters, double seconds);
/* Set the largest angle, `radians`, by which noise turns trunk, neck and shoulders of the `characters`, different for
 * each; 0 at first. */
MOCAPELLA_EXPORT mocapella_status mocapella_set_noise(mocapella_characters* characters, double radians);
/* Let a `character` of the `characters` take a captured `change` that begins in its block: the blending point goes to its place, its moment of the
 * cycle is waited for, it is played, and the character goes on in the block that it leads to, from where it has got.
 * Refused where a character is in another block, or waits for a change or plays one; then none of them takes it. */
MOCAPELLA_EXPORT mocapella_status mocapella_trigger(mocapella_characters* characters, int character, int change);
/* Let a `character` of the `characters` give up a change that is not played yet. */
MOCAPELLA_EXPORT mocapella_status mocapella_cancel(mocapella_characters* characters, int character);
/* Let a `character` of the `characters` go on in another `block` at once, where it stands, with the blending point nearest
 * to (x, y): the difference
 * between the poses fades in 0.3 s. Refused where a change is played. */
MOCAPELLA_EXPORT mocapella_status mocapella_enter(mocapella_characters* characters, int character, int block, double x,
                                                  double y);
/* Advance all `characters` by `seconds`, 0 to 3600. */
MOCAPELLA_EXPORT mocapella_status mocapella_step(mocapella_characters* characters, double seconds);

/* Poses after the last step, of a `character` of the `characters` or, with MOCAPELLA_ALL, of all, one after the other.
 * `room` is how many floats `out` can hold; more than that is never written. Here: 12 floats a joint, a 3 x 4 matrix by
 * rows, world rotation and position. */
MOCAPELLA_EXPORT mocapella_status mocapella_matrices(const mocapella_characters* characters, int character, float* out,
                                                     size_t room);
/* The same `out` of `characters`, one `character` or all, with its `room`: 3 floats a joint, its place in the world. */
MOCAPELLA_EXPORT mocapella_status mocapella_positions(const mocapella_characters* characters, int character, float* out,
                                                      size_t room);
/* The same `out` of `characters`, one `character` or all, with its `room`: 7 floats a joint, against its parent (the root:
 * against the world): position x y z, quaternion x y z w. */
MOCAPELLA_EXPORT mocapella_status mocapella_locals(const mocapella_characters* characters, int character, float* out,
                                                   size_t room);

typedef struct {
  double x, z, heading, phase;
  double point[2], goal[2]; /* the blending point, and where it was sent */
  int planted;              /* bits: 1 left heel, 2 left toe, 4 right heel, 8 right toe rest on the ground */
} mocapella_state;
/* The `state` of one `character` of the `characters`. While a change is played, x, z and heading are those of the change, phase is where the next cycle begins, and the
 * blending point is still the one at which it began. */
MOCAPELLA_EXPORT mocapella_status mocapella_now(const mocapella_characters* characters, int character,
                                                mocapella_state* state);

typedef enum {
  MOCAPELLA_FREE = 0,     /* the blending point goes where it is sent */
  MOCAPELLA_CALLED = 1,   /* it goes to the place of a change */
  MOCAPELLA_WAITING = 2,  /* there, for the moment of the cycle at which the change begins */
  MOCAPELLA_CHANGING = 3  /* the change is played */
} mocapella_activity;
/* The `activity` of one `character` of the `characters`, its `block` (while a change is played: the one that it leaves), its `change` (-1: none),
 * and the `seconds` of it that have been played. Each may be null. */
MOCAPELLA_EXPORT mocapella_status mocapella_doing(const mocapella_characters* characters, int character,
                                                  mocapella_activity* activity, int* block, int* change, double* seconds);

#ifdef __cplusplus
}
#endif
#endif
