// The lock of a directory: who keeps it, who takes it over, and what lies in its place.
#include "awele/run/lock.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <ctime>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "awele/support/error.hpp"
#include "support/damage.hpp"
#include "support/scratch_directory.hpp"

namespace awele {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr LockTimes kQuick{milliseconds(20), milliseconds(600), milliseconds(600), milliseconds(200)};

class Lock : public testing::Test {
 protected:
  fs::path path() const { return scratch_.path() / "lock"; }
  void write(const json& owner) { test::write_file(path(), owner.dump()); }

  /// What this process writes.
  json own() {
    const RunLock lock(scratch_.path());
    return json::parse(test::read_file(path()));
  }
  json elsewhere() {
    json owner = own();
    owner["host"] = "elsewhere";
    owner["token"] = "0e15e000";
    return owner;
  }

  /// The time of the file, so many seconds from now.
  void set_time(double offset) const {
    timespec now{};
    ::clock_gettime(CLOCK_REALTIME, &now);
    const double seconds = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9 + offset;
    timespec time{};
    time.tv_sec = static_cast<time_t>(seconds);
    time.tv_nsec = static_cast<long>((seconds - static_cast<double>(time.tv_sec)) * 1e9);
    const timespec times[2] = {time, time};
    ASSERT_EQ(::utimensat(AT_FDCWD, path().c_str(), times, 0), 0);
  }

  /// The sentence of the refusal; empty when the lock was taken.
  std::string taken_over_;
  std::string attempt() {
    try {
      const RunLock lock(scratch_.path(), {}, kQuick);
      taken_over_ = lock.taken_over();
      return "";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::failure);
      return error.what();
    }
  }

  test::ScratchDirectory scratch_;
};

/// A process that ran and is gone.
long dead_process() {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  ::waitpid(child, nullptr, 0);
  return child;
}

TEST_F(Lock, ALiveOwnerOfThisMachineKeepsItWhateverTheClocksSay) {
  const json owner = own();
  for (const double offset : {0.0, -3600.0, 3600.0, -1e9}) {
    write(owner);
    set_time(offset);
    EXPECT_NE(attempt().find("process " + std::to_string(::getpid())), std::string::npos) << offset;
    EXPECT_FALSE(lock_state(scratch_.path()).stale()) << offset;
  }
}

TEST_F(Lock, OfAProcessThatIsGoneItIsTakenAtOnce) {
  json owner = own();
  owner["pid"] = dead_process();
  write(owner);
  EXPECT_TRUE(lock_state(scratch_.path()).stale());
  EXPECT_EQ(attempt(), "");
  EXPECT_NE(taken_over_.find("is no longer running"), std::string::npos) << taken_over_;
  // Its number belongs to another process now.
  owner = own();
  owner["process_start"] = owner["process_start"].get<long>() + 1;
  write(owner);
  EXPECT_EQ(attempt(), "");
}

/// Containers and cloned hosts: process numbers of another machine say nothing.
TEST_F(Lock, AHostOfTheSameNameIsNotThisMachine) {
  json owner = own();
  owner["machine"] = "another";
  owner["pid"] = dead_process();
  write(owner);
  std::atomic<bool> end{false};
  std::thread alive([&] {
    while (!end) {
      set_time(0);
      std::this_thread::sleep_for(milliseconds(30));
    }
  });
  EXPECT_NE(attempt().find("in use"), std::string::npos);
  end = true;
  alive.join();
}

TEST_F(Lock, OfAnotherHostItIsWatched) {
  for (const double offset : {0.0, -3600.0, 3600.0}) {
    // Its clock is an hour ahead or behind, but it advances.
    write(elsewhere());
    std::atomic<bool> end{false};
    std::thread alive([&] {
      while (!end) {
        set_time(offset);
        std::this_thread::sleep_for(milliseconds(100));
      }
    });
    EXPECT_NE(attempt().find("on host elsewhere"), std::string::npos) << offset;
    end = true;
    alive.join();
    EXPECT_NE(test::read_file(path()).find("0e15e000"), std::string::npos);
    // It does not advance.
    set_time(offset);
    EXPECT_EQ(attempt(), "") << offset;
    EXPECT_NE(taken_over_.find("while watched"), std::string::npos) << taken_over_;
  }
}

TEST_F(Lock, SaysThatItWatches) {
  write(elsewhere());
  std::string told;
  const RunLock lock(
      scratch_.path(), [&](const std::string& sentence) { told = sentence; }, kQuick);
  EXPECT_NE(told.find("process"), std::string::npos) << told;
  EXPECT_NE(told.find(path().string()), std::string::npos) << told;
}

TEST_F(Lock, WhatIsNoLockIsLeftOverAfterSeconds) {
  std::vector<std::string> texts = {"", "\n", "{", "[]", "7", "null", "\xe4", "{}", R"({"pid":5})"};
  const json right = own();
  for (const auto& [key, value] : right.items())
    if (key != "started") {
      json other = right;
      other[key] = json::array({value});
      texts.push_back(other.dump());
    }
  for (const json& pid : {json(-1), json(0), json(1e30), json(true), json(nullptr)}) {
    json wrong = right;
    wrong["pid"] = pid;
    texts.push_back(wrong.dump());
  }
  for (const std::string& text : texts) {
    test::write_file(path(), text);
    EXPECT_EQ(lock_state(scratch_.path()).owner.text(), "an unknown run") << text;
    EXPECT_EQ(attempt(), "") << text;
    EXPECT_FALSE(fs::exists(path()));
  }
}

TEST_F(Lock, WhatBecomesALockMeanwhileIsOne) {
  const std::string text = own().dump();
  test::write_file(path(), "");
  std::thread late([&] {
    std::this_thread::sleep_for(milliseconds(100));
    test::write_file(path(), text);
  });
  EXPECT_NE(attempt().find("in use"), std::string::npos);
  late.join();
}

TEST_F(Lock, WhatIsNoFileIsNamed) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0600), 0);
  EXPECT_NE(attempt().find("not a regular file"), std::string::npos);
  fs::remove(path());
  fs::create_directory(path());
  EXPECT_NE(attempt().find("not a regular file"), std::string::npos);
  fs::remove(path());
  fs::create_symlink("/dev/zero", path());
  EXPECT_NE(attempt().find("not a regular file"), std::string::npos);
}

TEST_F(Lock, AppearsWhole) {
  std::atomic<bool> end{false};
  std::thread reader([&] {
    while (!end) {
      const LockState state = lock_state(scratch_.path());
      if (state.held) {
        EXPECT_TRUE(state.owner.known()) << state.text;
      }
    }
  });
  for (int k = 0; k < 300; ++k) const RunLock lock(scratch_.path());
  end = true;
  reader.join();
  EXPECT_TRUE(fs::is_empty(scratch_.path()));
}

TEST_F(Lock, IsRefreshed) {
  const RunLock lock(scratch_.path(), {}, kQuick);
  set_time(-1000);
  for (int k = 0; k < 200 && lock_state(scratch_.path()).age > std::chrono::seconds(5); ++k)
    std::this_thread::sleep_for(milliseconds(50));
  EXPECT_LT(lock_state(scratch_.path()).age, std::chrono::seconds(500));
}

TEST_F(Lock, ALostOneIsNoticedAndLeftAlone) {
  const json other = elsewhere();
  {
    std::optional<RunLock> lock(std::in_place, scratch_.path(), RunLock::Tell{}, kQuick);
    EXPECT_FALSE(lock->require_held());
    EXPECT_FALSE(lock->lost());
    fs::remove(path());
    EXPECT_TRUE(lock->require_held()) << "made again";
    EXPECT_FALSE(lock->require_held());
    write(other);
    for (int k = 0; k < 200 && !lock->lost(); ++k) std::this_thread::sleep_for(milliseconds(50));
    EXPECT_TRUE(lock->lost());
    try {
      lock->require_held();
      ADD_FAILURE() << "it was lost";
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("on host elsewhere"), std::string::npos) << error.what();
    }
  }
  EXPECT_EQ(test::read_file(path()), other.dump());
}

}  // namespace
}  // namespace awele
