// A small pool of threads that share out one piece of work at a time; they sleep in between.
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

namespace {
struct Pool {
  std::mutex one_at_a_time, lock;
  std::condition_variable begin, end;
  std::vector<std::thread> threads;
  void (*work)(void*, int, int) = nullptr;
  void* job = nullptr;
  int parts = 0, left = 0;
  unsigned round = 0;
  void add(int number) {
    threads.emplace_back([this, number] {
      unsigned seen = 0;
      for (;;) {
        std::unique_lock<std::mutex> hold(lock);
        begin.wait(hold, [&] { return round != seen; });
        seen = round;
        const bool mine = number < parts;
        auto* what = work;
        void* on = job;
        const int all = parts;
        hold.unlock();
        if (!mine) continue;
        what(on, number, all);
        hold.lock();
        if (--left == 0) end.notify_one();
      }
    });
    threads.back().detach();
  }
};
}  // namespace

extern "C" void crowd_share(int threads, void (*work)(void*, int, int), void* job) {
  static Pool* pool = new Pool;  // never taken down: its threads sleep until the process ends
  std::lock_guard<std::mutex> alone(pool->one_at_a_time);
  {
    std::lock_guard<std::mutex> hold(pool->lock);
    while ((int)pool->threads.size() < threads - 1) pool->add((int)pool->threads.size() + 1);
    pool->work = work;
    pool->job = job;
    pool->parts = threads;
    pool->left = threads - 1;
    ++pool->round;
  }
  pool->begin.notify_all();
  work(job, 0, threads);
  std::unique_lock<std::mutex> hold(pool->lock);
  pool->end.wait(hold, [&] { return pool->left == 0; });
}
