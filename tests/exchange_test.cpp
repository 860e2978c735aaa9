// The exchange delivers what was put in, whole and once, by one hop and by two. Runs at any number of ranks.
#include "awele/comm/exchange.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <random>

namespace awele {
namespace {

struct Record {
  std::uint64_t to, from, number;
};

/// Sends random records until each rank has sent `count`; what arrives must be for this rank and complete.
void send_and_check(const Communicator& ranks, Exchange& exchange, std::uint64_t count, unsigned seed,
                    bool one_target) {
  std::mt19937_64 random(seed + static_cast<unsigned>(ranks.rank()));
  const auto all = static_cast<std::uint64_t>(ranks.size());
  std::uint64_t sent = 0, sum_sent = 0, received = 0, sum_received = 0, wrong = 0, most = 0;
  std::uint64_t to = one_target ? 0 : random() % all;
  bool more = true;
  while (more) {
    while (sent < count) {
      if (static_cast<int>(to) != ranks.rank()) {
        if (exchange.room(static_cast<int>(to)) < sizeof(Record)) break;
        const Record record{to, static_cast<std::uint64_t>(ranks.rank()), random()};
        std::memcpy(exchange.end(static_cast<int>(to)), &record, sizeof record);
        exchange.add(static_cast<int>(to), sizeof record);
        sum_sent += record.number;
      }
      ++sent;
      to = one_target ? 0 : random() % all;
    }
    std::uint64_t bytes_now = 0;
    exchange.run([&](int from, std::span<const std::byte> bytes) {
      bytes_now += bytes.size();
      for (; !bytes.empty(); bytes = bytes.subspan(sizeof(Record))) {
        Record record;
        std::memcpy(&record, bytes.data(), sizeof record);
        wrong += record.to != static_cast<std::uint64_t>(ranks.rank()) ||
                 record.from != static_cast<std::uint64_t>(from);
        sum_received += record.number;
        ++received;
      }
    });
    most = std::max(most, bytes_now);
    more = ranks.any(sent < count);
  }
  EXPECT_EQ(ranks.sum(wrong), 0u);
  EXPECT_EQ(ranks.sum(sum_sent), ranks.sum(sum_received));
  EXPECT_LE(ranks.max(most), exchange.slot_bytes() * all);
  EXPECT_EQ(ranks.sum(exchange.counters().bytes), ranks.sum(exchange.counters().bytes_received));
}

TEST(Exchange, DeliversEverythingOnceByOneHopAndByTwo) {
  const Communicator ranks = Communicator::world();
  const int step = std::max(1, ranks.size() / 5);  // more ranks than cores make each exchange slow
  for (int width = 0; width <= ranks.size() + 1; width += step)
    for (std::size_t capacity : {std::size_t{1}, std::size_t{5000}, std::size_t{1} << 20}) {
      Exchange exchange(ranks, capacity, width);
      const auto count = static_cast<std::uint64_t>(2000 / ranks.size());
      send_and_check(ranks, exchange, count, 5, false);
      send_and_check(ranks, exchange, count / 5, 6, true);  // all ranks flood one
    }
}

TEST(Exchange, TwoHopsSendFewMessages) {
  const Communicator ranks = Communicator::world();
  const int width = static_cast<int>(std::ceil(std::sqrt(ranks.size())));
  Exchange exchange(ranks, 1 << 16, width);
  send_and_check(ranks, exchange, 1000, 7, false);
  const double a_rank =
      static_cast<double>(ranks.sum(exchange.counters().messages)) / ranks.size() /
      static_cast<double>(exchange.counters().exchanges ? exchange.counters().exchanges : 1);
  EXPECT_LE(a_rank, 2 * std::sqrt(ranks.size()) + 2);
}

TEST(Communicator, ReducesAndShares) {
  const Communicator ranks = Communicator::world();
  const auto r = static_cast<std::uint64_t>(ranks.rank()), all = static_cast<std::uint64_t>(ranks.size());
  EXPECT_EQ(ranks.sum(r), all * (all - 1) / 2);
  EXPECT_EQ(ranks.max(r), all - 1);
  EXPECT_EQ(ranks.min(r + 5), 5u);
  // All 64 bits count: some MPI libraries compare unsigned numbers as signed ones.
  const std::uint64_t huge = ~std::uint64_t{0};
  EXPECT_EQ(ranks.max(r == all - 1 ? huge : 1), huge);
  EXPECT_EQ(ranks.min(r == all - 1 ? 1 : huge), 1u);
  EXPECT_EQ(ranks.gather(r * r).back(), (all - 1) * (all - 1));
  EXPECT_EQ(ranks.broadcast(ranks.root() ? "text" : ""), "text");
  EXPECT_TRUE(ranks.any(ranks.root()));
  EXPECT_FALSE(ranks.any(false));
}

}  // namespace
}  // namespace awele
