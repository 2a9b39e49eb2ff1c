// ---------------------------------------------------------------- blending points
struct Moved { float x, y, vx, vy; };
D Moved advance(float4 at, float gx, float gy, float give, const float* __restrict__ map, const float* __restrict__ seconds, float dt, float stiffness, float decay, float furthest) {
  const float px = at.x, py = at.y;
  float wx = gx, wy = gy, vx = 0.f, vy = 0.f;
  if (stiffness != 0.f) {
    const float ox = px - gx, oy = py - gy, qx = at.z + stiffness * ox, qy = at.w + stiffness * oy;
    wx = gx + (ox + qx * dt) * decay;
    wy = gy + (oy + qy * dt) * decay;
    vx = (at.z - stiffness * qx * dt) * decay;
    vy = (at.w - stiffness * qy * dt) * decay;
  }
  const float share = fminf(1.f, furthest / fmaxf(sqrtf((wx - px) * (wx - px) + (wy - py) * (wy - py)), 1e-12f));
  if (share < 1.f) { wx = px + share * (wx - px); wy = py + share * (wy - py); }
  const float slow = fminf(1.f, furthest / fmaxf(sqrtf(vx * vx + vy * vy) * dt, 1e-12f));
  vx *= slow; vy *= slow;
  const float left = (wx - gx) * (wx - gx) + (wy - gy) * (wy - gy);
  if (left < 1e-12f && vx * vx + vy * vy < 1e-6f) { wx = gx; wy = gy; vx = vy = 0.f; }
  const float ax = give * (wx - px), ay = give * (wy - py);
  float c[3];
#pragma unroll
  for (int k = 0; k < 3; ++k) c[k] = fabsf(map[3 * k + 1] * ax + map[3 * k + 2] * ay);
  const float needed = c[0] >= c[1] && c[0] >= c[2] ? c[1] * seconds[0] + c[2] * seconds[2] : c[1] >= c[2] ? c[0] * seconds[0] + c[2] * seconds[1] : c[0] * seconds[2] + c[1] * seconds[1];
  const float part = fminf(1.f, fmaxf(dt, 1e-9f) / fmaxf(needed, 1e-12f));
  if (part >= 1.f && give >= 1.f && wx == gx && wy == gy) return {gx, gy, 0.f, 0.f};
  return {px + part * ax, py + part * ay, give * vx, give * vy};
}
D void weights(const float* __restrict__ map, float x, float y, float* w) {
#pragma unroll
  for (int k = 0; k < 3; ++k) w[k] = map[3 * k] + map[3 * k + 1] * x + map[3 * k + 2] * y;
}

// where: of every character its triangle, and above it how much of a change its feet allow (0 … 255)
#define TRIANGLE_BITS 24
#define TRIANGLE_OF(word) ((word) & ((1 << TRIANGLE_BITS) - 1))

// Points go on by one step. mixed: weights of corners 1 and 2, and how much they change (corner 0 has the rest).
extern "C" __global__ void __launch_bounds__(512) place(const float2* __restrict__ points, float2* __restrict__ goals, float4* __restrict__ spots, int* __restrict__ where, const int* __restrict__ rows, int n, float dt, float stiffness, float decay, float furthest, const float* __restrict__ maps, const int* __restrict__ neighbours, const float* __restrict__ seconds, const float2* __restrict__ corners, float4* __restrict__ mixed, int* __restrict__ rank, int* counts) {
  extern __shared__ int seen[];
  for (int t = threadIdx.x; t < TRIANGLES; t += blockDim.x) seen[t] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = 0, own = 0;
  if (i < n) {
    const size_t c = rows ? rows[i] : i;
    const float4 at = spots[c];
    const int word = where[c];
    const float2 before = goals[c];
    float2 goal = points[c];
    goal = make_float2((goal.x - CENTRE_X) * PER_SIZE, (goal.y - CENTRE_Y) * PER_SIZE);
    if (isfinite(goal.x) && isfinite(goal.y)) goal = make_float2(fminf(fmaxf(goal.x, LEAST_X), MOST_X), fminf(fmaxf(goal.y, LEAST_Y), MOST_Y));
    else goal = before;  // it goes on as it was
    if (goal.x != before.x || goal.y != before.y) goals[c] = goal;
    t = TRIANGLE_OF(word);
    if (t >= TRIANGLES) t = 0;
    Moved m = advance(at, goal.x, goal.y, ((word >> TRIANGLE_BITS) & 255) * (1.f / 255.f), maps + 9 * t, seconds + 3 * t, dt, stiffness, decay, furthest);
    float w[3];
    weights(maps + 9 * t, m.x, m.y, w);
    for (int walk = 0; walk < 8; ++walk) {
      const int* next = neighbours + 3 * t;
      int corner = 0;
      float least = 0.f;
#pragma unroll
      for (int k = 0; k < 3; ++k)
        if (next[k] >= 0 && w[k] < least) { least = w[k]; corner = k; }
      if (!(least < -1e-6f)) break;
      t = next[corner];
      weights(maps + 9 * t, m.x, m.y, w);
    }
    const bool outside = fminf(w[0], fminf(w[1], w[2])) < -1e-6f;
    float sum = 0.f;
#pragma unroll
    for (int k = 0; k < 3; ++k) { w[k] = fmaxf(w[k], 0.f); sum += w[k]; }
    const bool lost = !(sum > 1e-6f && sum < 1e6f);  // no number, or as good as none: back to a corner
#pragma unroll
    for (int k = 0; k < 3; ++k) w[k] = lost ? (k == 0 ? 1.f : 0.f) : w[k] / sum;
    if (outside || lost) {
      m = {0.f, 0.f, 0.f, 0.f};
#pragma unroll
      for (int k = 0; k < 3; ++k) { const float2 p = corners[3 * t + k]; m.x += w[k] * p.x; m.y += w[k] * p.y; }
    }
    float d[3];
#pragma unroll
    for (int k = 1; k < 3; ++k) {
      d[k] = maps[9 * t + 3 * k + 1] * (m.x - at.x) + maps[9 * t + 3 * k + 2] * (m.y - at.y);
      if (!(fabsf(d[k]) < 1e3f)) d[k] = 0.f;
    }
    mixed[i] = make_float4(w[1], w[2], d[1], d[2]);
    if (m.x != at.x || m.y != at.y || m.vx != at.z || m.vy != at.w) spots[c] = make_float4(m.x, m.y, m.vx, m.vy);
    if (t != TRIANGLE_OF(word)) where[c] = t | (word & ~((1 << TRIANGLE_BITS) - 1));
    own = atomicAdd(seen + t, 1);
  }
  __syncthreads();
  int* begin = seen + TRIANGLES;
  for (int k = threadIdx.x; k < TRIANGLES; k += blockDim.x) begin[k] = seen[k] ? atomicAdd(counts + k, seen[k]) : 0;
  __syncthreads();
  if (i < n) rank[i] = begin[t] + own;
}

#define SMALL_SHARE 12  // groups of a block that are few
// Which groups of 32 each block plays, by the first warp of a block. Small crowds: few groups of one triangle, so that no
// block has to read the tables of two. Large ones, and those of many triangles: as many groups each. begins: of every block
// the first group and its triangle.
D int groups_of(const int* first, int t, int all) { return (t + 1 < TRIANGLES ? first[t + 1] : all) - first[t]; }
D void share_out(const int* first, int all, int blocks, int2* __restrict__ begins, int lane) {
  int size = (all + blocks - 1) / blocks, pieces = blocks + 1;
  for (; size <= SMALL_SHARE && pieces > blocks; ++size) {
    pieces = 0;
    for (int t = lane; t < TRIANGLES; t += 32) pieces += (groups_of(first, t, all) + size - 1) / size;
    pieces = __reduce_add_sync(ALL, pieces);
  }
  if (pieces > blocks) {
    for (int b = lane; b <= blocks; b += 32) {
      const int group = (int)((long long)all * b / blocks);
      int low = 0, high = TRIANGLES;  // the last triangle that begins at or before it, and is not empty
      while (high - low > 1) { const int middle = (low + high) / 2; if (first[middle] <= group) low = middle; else high = middle; }
      begins[b] = make_int2(group, low);
    }
    return;
  }
  --size;
  int before = 0;
  for (int t = lane; t - lane < TRIANGLES; t += 32) {
    const int groups = t < TRIANGLES ? groups_of(first, t, all) : 0, own = (groups + size - 1) / size;
    int sum = own;
#pragma unroll
    for (int d = 1; d < 32; d *= 2) { const int other = __shfl_up_sync(ALL, sum, d); if (lane >= d) sum += other; }
    for (int i = 0; i < own; ++i) begins[before + sum - own + i] = make_int2(first[t] + i * groups / own, t);
    before += __shfl_sync(ALL, sum, 31);
  }
  for (int b = before + lane; b <= blocks; b += 32) begins[b] = make_int2(all, 0);
}
// runs: of every triangle the first group of 32 and the number of characters; behind the last one all groups
extern "C" __global__ void __launch_bounds__(1024) sort(const int* __restrict__ rows, int n, const int* __restrict__ where, const int* __restrict__ rank, const float4* __restrict__ mixed, const int* __restrict__ counts, int2* __restrict__ runs, int* __restrict__ order, float4* __restrict__ sorted, int blocks, int2* __restrict__ begins) {
  extern __shared__ int first[];
  const int lane = threadIdx.x & 31, i = blockIdx.x * blockDim.x + threadIdx.x;
  int c = 0, own = 0, tri = 0;
  float4 mix = {};
  if (i < n) {
    c = rows ? rows[i] : i;
    own = rank[i];
    mix = mixed[i];
    tri = TRIANGLE_OF(where[c]);
  }
  if (threadIdx.x < 32) {
    int before = 0;
    for (int k = lane; k - lane < TRIANGLES; k += 32) {
      const int count = k < TRIANGLES ? counts[k] : 0, groups = (count + 31) / 32;
      int sum = groups;
#pragma unroll
      for (int d = 1; d < 32; d *= 2) { const int other = __shfl_up_sync(ALL, sum, d); if (lane >= d) sum += other; }
      if (k < TRIANGLES) {
        first[k] = before + sum - groups;
        if (blockIdx.x == 0) runs[k] = make_int2(first[k], count);
      }
      before += __shfl_sync(ALL, sum, 31);
    }
    __syncwarp();
    if (blockIdx.x == gridDim.x - 1) {
      if (lane == 0) runs[TRIANGLES] = make_int2(before, 0);
      share_out(first, before, blocks, begins, lane);
    }
  }
  __syncthreads();
  if (i < n) {
    order[32 * first[tri] + own] = c;
    sorted[32 * first[tri] + own] = mix;
  }
}

// records, by fours of words: phase and place, speeds, left foot, right foot, marks
#define WORDS 5
// characters that are far from their origin get a nearer one
extern "C" __global__ void __launch_bounds__(512) recentre(float4* __restrict__ records, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4* record = records + WORDS * (size_t)i;
  float4 r1 = record[0];
  if (!(fmaxf(fabsf(r1.y), fabsf(r1.z)) > FAR_AWAY)) return;
  float4 r5 = record[4];
  const int word = __float_as_int(r5.z), marks = __float_as_int(r5.x);
  const float sx = rintf(r1.y / GRID), sz = rintf(r1.z / GRID);
  const int x = (int)fminf(fmaxf((float)((word << 16) >> 16) + sx, -32768.f), 32767.f), z = (int)fminf(fmaxf((float)(word >> 16) + sz, -32768.f), 32767.f);
  r5.z = __int_as_float((x & 0xffff) | (z << 16));
  r1.y -= sx * GRID;
  r1.z -= sz * GRID;
  record[0] = r1;
  record[4] = r5;
#pragma unroll
  for (int point = 0; point < 4; ++point)  // places move along; what is left of a displacement does not
    if (((marks >> (2 * point)) & 3) == PLACED) {
      float* at = (float*)(record + 2) + 2 * point;
      at[0] -= sx * GRID;
      at[1] -= sz * GRID;
    }
}

