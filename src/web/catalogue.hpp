// What the served directory holds, as of the last look at it.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "awele/probe/probe.hpp"

namespace awele::web {

class Catalogue {
 public:
  struct Snapshot {
    std::optional<RuleSet> rules;
    Scope scope;
    int complete_up_to = -1;
    std::vector<SliceContents> slices;
    std::string fingerprint;  ///< another one whenever an answer could be another

    const SliceContents* find(int seeds) const;
  };

  explicit Catalogue(Prober& prober);
  /// Looks for new slices, once a second at most. A slice that cannot be opened is left out until it can.
  std::shared_ptr<const Snapshot> look();

 private:
  std::shared_ptr<const Snapshot> take() const;

  Prober& prober_;
  std::mutex mutex_;
  std::chrono::steady_clock::time_point looked_;
  std::shared_ptr<const Snapshot> snapshot_;
};

}  // namespace awele::web
