// ---------------------------------------------------------------- blending points
struct Moved { float x, y, vx, vy; };
D Moved advance(float4 at, float gx, float gy, int marks, const float* __restrict__ map, const float* __restrict__ seconds, float dt, float stiffness, float decay, float furthest) {
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
  const float give = ((marks >> GIVE) & 255) * (1.f / 255.f), ax = give * (wx - px), ay = give * (wy - py);
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

#define STEP float dt, float stiffness, float decay, float furthest
extern "C" __global__ void __launch_bounds__(512) place(const float4* __restrict__ records, const float2* __restrict__ points, float2* __restrict__ goals, const int* __restrict__ rows, int n, STEP, const float* __restrict__ maps, const int* __restrict__ neighbours, const float* __restrict__ seconds, int* __restrict__ triangle, int* __restrict__ rank, int* counts) {
  extern __shared__ int seen[];
  for (int t = threadIdx.x; t < TRIANGLES; t += blockDim.x) seen[t] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  int t = 0, own = 0;
  if (i < n) {
    const size_t c = rows ? rows[i] : i;
    const float4 at = records[6 * c], last = records[6 * c + 5];
    float2 goal = points[c];
    goal = make_float2((goal.x - CENTRE_X) * PER_SIZE, (goal.y - CENTRE_Y) * PER_SIZE);
    if (isfinite(goal.x) && isfinite(goal.y)) {
      goal = make_float2(fminf(fmaxf(goal.x, LEAST_X), MOST_X), fminf(fmaxf(goal.y, LEAST_Y), MOST_Y));
      goals[c] = goal;
    } else goal = goals[c];  // it goes on as it was
    t = __float_as_int(last.w);
    if (t < 0 || t >= TRIANGLES) t = 0;
    const Moved m = advance(at, goal.x, goal.y, __float_as_int(last.x), maps + 9 * t, seconds + 3 * t, dt, stiffness, decay, furthest);
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
    own = atomicAdd(seen + t, 1);
  }
  __syncthreads();
  int* begin = seen + TRIANGLES;
  for (int k = threadIdx.x; k < TRIANGLES; k += blockDim.x) begin[k] = seen[k] ? atomicAdd(counts + k, seen[k]) : 0;
  __syncthreads();
  if (i < n) { triangle[i] = t; rank[i] = begin[t] + own; }
}

// runs: of every triangle the first group of 32 and the number of characters; behind the last one all groups
extern "C" __global__ void __launch_bounds__(1024) sort(const int* __restrict__ rows, int n, const int* __restrict__ triangle, const int* __restrict__ rank, const int* __restrict__ counts, int2* __restrict__ runs, int* __restrict__ order) {
  extern __shared__ int first[];
  const int lane = threadIdx.x & 31;
  if (threadIdx.x < 32) {
    int before = 0;
    for (int k = lane; k - lane < TRIANGLES; k += 32) {
      const int own = k < TRIANGLES ? (counts[k] + 31) / 32 : 0;
      int sum = own;
#pragma unroll
      for (int d = 1; d < 32; d *= 2) { const int other = __shfl_up_sync(ALL, sum, d); if (lane >= d) sum += other; }
      if (k < TRIANGLES) {
        first[k] = before + sum - own;
        if (blockIdx.x == 0) runs[k] = make_int2(first[k], counts[k]);
      }
      before += __shfl_sync(ALL, sum, 31);
    }
    if (blockIdx.x == 0 && lane == 0) runs[TRIANGLES] = make_int2(before, 0);
  }
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) order[32 * first[triangle[i]] + rank[i]] = rows ? rows[i] : i;
}

// characters that are far from their origin get a nearer one
extern "C" __global__ void __launch_bounds__(512) recentre(float4* __restrict__ records, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float4* record = records + 6 * (size_t)i;
  float4 r1 = record[1];
  if (!(fmaxf(fabsf(r1.y), fabsf(r1.z)) > FAR_AWAY)) return;
  float4 r5 = record[5];
  const int word = __float_as_int(r5.z), marks = __float_as_int(r5.x);
  const float sx = rintf(r1.y / GRID), sz = rintf(r1.z / GRID);
  const int x = (int)fminf(fmaxf((float)((word << 16) >> 16) + sx, -32768.f), 32767.f), z = (int)fminf(fmaxf((float)(word >> 16) + sz, -32768.f), 32767.f);
  r5.z = __int_as_float((x & 0xffff) | (z << 16));
  r1.y -= sx * GRID;
  r1.z -= sz * GRID;
  record[1] = r1;
  record[5] = r5;
#pragma unroll
  for (int point = 0; point < 4; ++point)  // places move along; what is left of a displacement does not
    if (((marks >> (2 * point)) & 3) == PLACED) {
      float* at = (float*)(record + 3) + 2 * point;
      at[0] -= sx * GRID;
      at[1] -= sz * GRID;
    }
}

