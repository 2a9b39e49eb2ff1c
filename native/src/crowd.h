// The C interface of the crowd core. All arrays belong to the caller; sizes are checked before anything is touched.
#pragma once
#ifdef __cplusplus
extern "C" {
#endif
#define MOCAPELLA_ABI 1
enum { MOST_JOINTS = 128, MOST_HARMONICS = 32, MOST_NOISY = 8, MOST_PLANTS = 3, MOST_ROW = 256, WORDS = 24 };

typedef struct {  // as mocapella.playback.settings has them
  float hold_rate, steepest_hold_rate, release_from, release_at, touchdown, touchdown_share, down, lifted, rocking;
  float strain_from, strain_to, shortest_plant, hand_over, swing_share, root_shift_speed, root_shift_time, long_step;
} Settings;

typedef struct {  // one leg; chain: of every joint 0 nothing, 1 hip to above the knee, 2 knee to above the ankle,
                  // 3 the ankle, 4 hangs on one of these, 5 hangs on the toes
  int hip, knee, ankle, toe;  // toe: the joint of toes that bend, or -1
  float heel_at[3], toe_at[3], tip[3], hinge[3], across[3];
  float heel_height, toe_height, tip_height, tip_length, flat_length, ankle_share, length;
} Leg;

typedef struct {
  int abi, joints, harmonics, stride, n_plain, n_columns, first, corners, triangles, parts, n_plants, row, n_noisy;
  const float* coefficients;  // [corners][2 harmonics + 1][stride]
  const int* triangle;        // [triangles][3]
  const int* neighbour;       // [triangles][3]
  const float* map;           // [triangles][3][3]
  const float* point;         // [corners][2]
  const float* energy;        // [corners][upper]
  const float* product;       // [triangles][upper][6]
  const float* seconds;       // [triangles][3]
  const float* gait;          // [triangles][vertices][row]
  const int* parent;          // [joints]
  const float* offset;        // [joints][3]
  const int* column;          // [joints]
  const int* chain[2];        // [joints]
  const int* noisy;           // [n_noisy]
  long long size[15];         // how many numbers each of these holds
  Leg leg[2];
  Settings set;
} Tables;

typedef struct {
  float dt, stiffness, decay, furthest, made;  // made: share of an owed shift of the root that is made in this step
  int harmonics, columns;
  float noise;
  int beat;
  float between;
} Step;

// 0: done; otherwise what was wrong (see mocapella_native). scratch: 6 floats a row; order: an int a row, 2 a triangle, and 2.
int crowd_step(const Tables* tables, const Step* step, float* records, const float* goals, int characters,
               const int* rows, int n_rows, float* poses, float* scratch, int* order, int threads);
typedef struct {  // the arguments of crowd_step
  const Tables* tables;
  const Step* step;
  float* records;
  const float* goals;
  const int* rows;
  float *poses, *scratch;
  int *order, characters, n_rows, threads;
} Call;
int crowd_run(const Call* call);  // the same: handing over one argument is quicker for some languages
int crowd_width(void);
int crowd_sizes(int which);  // bytes of Tables (0), Step (1), Leg (2), Settings (3), MOCAPELLA_ABI (4), bytes of Call (5)
#ifdef __cplusplus
}
#endif
