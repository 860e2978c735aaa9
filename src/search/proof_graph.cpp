#include "awele/search/proof_graph.hpp"

#include <algorithm>
#include <array>
#include <deque>

#include "board_hash.hpp"

namespace awele {

ProofGraph::ProofGraph(RuleSet rules, Leaves& leaves, const Board& root) : rules_(rules), leaves_(leaves) {
  hash_.assign(1024, kFree);
  id_of(root);
}

ProofGraph::Id ProofGraph::id_of(const Board& board) {
  std::size_t at = board_hash(board) & (hash_.size() - 1);
  while (hash_[at] != kFree) {
    if (nodes_[hash_[at]].board == board) return hash_[at];
    at = (at + 1) & (hash_.size() - 1);
  }
  const Id id = static_cast<Id>(nodes_.size());
  hash_[at] = id;
  const auto n = static_cast<std::int8_t>(seeds(board));
  nodes_.push_back({board, n, kNone, kNone});
  bounds_.push_back({static_cast<std::int8_t>(-n), n});
  visited_.push_back(0);
  if (2 * nodes_.size() > hash_.size()) rehash();
  return id;
}

void ProofGraph::rehash() {
  hash_.assign(2 * hash_.size(), kFree);
  for (Id id = 0; id < nodes_.size(); ++id) {
    std::size_t at = board_hash(nodes_[id].board) & (hash_.size() - 1);
    while (hash_[at] != kFree) at = (at + 1) & (hash_.size() - 1);
    hash_[at] = id;
  }
}

void ProofGraph::expand(Id id) {
  const Moves all = moves(nodes_[id].board, rules_);
  const int n = nodes_[id].seeds;
  int low = all.ended.value_or(kNone), high = low;
  const std::size_t first = edges_.size();
  for (const Move& move : all.pit) {
    Interval worth{move.value, move.value};
    if (move.kind == Move::Kind::inner || move.kind == Move::Kind::capture) {
      if (!leaves_.has(n - move.captured)) {
        edges_.push_back(id_of(move.child));
        continue;
      }
      const Interval child = leaves_.interval(move.child);
      worth = {move.captured - child.high, move.captured - child.low};
    } else if (move.kind != Move::Kind::known) {
      continue;
    }
    low = std::max(low, worth.low);
    high = std::max(high, worth.high);
  }
  Node& node = nodes_[id];
  node.exit_low = static_cast<std::int8_t>(low);
  node.exit_high = static_cast<std::int8_t>(high);
  node.first_edge = first;
  node.edges = static_cast<std::uint8_t>(edges_.size() - first);
  node.expanded = true;
  ++expanded_;
}

void ProofGraph::grow(std::size_t most, int enough, Deadline deadline) {
  constexpr std::size_t kLeast = 64;
  while (expanded_ < most && interval().low < std::min(interval().high, enough) &&
         std::chrono::steady_clock::now() < deadline) {
    const std::vector<Id> leaves =
        useful_leaves(std::min(most - expanded_, std::max(kLeast, expanded_ / 2)), enough);
    if (leaves.empty()) break;
    for (Id id : leaves) expand(id);
    solve();
  }
}

/// Breadth first over what can still change the root's interval. A node is looked at once, with the window of
/// the path that came first: this chooses work, it proves nothing.
std::vector<ProofGraph::Id> ProofGraph::useful_leaves(std::size_t most, int enough) {
  std::vector<Id> leaves;
  std::vector<Window> queue;
  ++visit_;
  visited_[0] = visit_;
  queue.push_back({0, bounds_[0].low, std::min<int>(bounds_[0].high, enough)});
  for (std::size_t next = 0; next < queue.size() && leaves.size() < most; ++next) {
    const Window at = queue[next];
    if (nodes_[at.id].expanded)
      visit_children(at, queue);
    else
      leaves.push_back(at.id);
  }
  return leaves;
}

void ProofGraph::visit_children(const Window& at, std::vector<Window>& queue) {
  const Node& node = nodes_[at.id];
  const int low = std::max<int>(at.low, bounds_[at.id].low),
            high = std::min<int>(at.high, bounds_[at.id].high);
  if (low >= high) return;
  for (std::size_t e = node.first_edge; e < node.first_edge + node.edges; ++e) {
    const Id child = edges_[e];
    const int gain = node.seeds - nodes_[child].seeds;
    const Bounds& bounds = bounds_[child];
    const int child_low = std::max<int>(gain - high, bounds.low),
              child_high = std::min<int>(gain - low, bounds.high);
    if (visited_[child] == visit_ || child_low >= child_high) continue;
    visited_[child] = visit_;
    queue.push_back({child, gain - high, gain - low});
  }
}

ProofGraph::Bounds ProofGraph::derived(Id id) const {
  const Node& node = nodes_[id];
  int low = node.exit_low, high = node.exit_high;
  for (std::size_t e = node.first_edge; e < node.first_edge + node.edges; ++e) {
    const Id child = edges_[e];
    const int gain = node.seeds - nodes_[child].seeds;
    low = std::max(low, gain - bounds_[child].high);
    high = std::max(high, gain - bounds_[child].low);
  }
  return {static_cast<std::int8_t>(low), static_cast<std::int8_t>(high)};
}

void ProofGraph::solve() {
  std::array<std::vector<Id>, kMaxSeeds + 1> slices;
  for (Id id = 0; id < nodes_.size(); ++id)
    if (nodes_[id].expanded) {
      slices[static_cast<std::size_t>(nodes_[id].seeds)].push_back(id);
      bounds_[id] = {0, 0};
    }
  for (const auto& slice : slices)
    if (!slice.empty()) solve_slice(slice);
}

/// All smaller slices are solved. Positions whose moves may have changed wait in a queue.
void ProofGraph::solve_slice(const std::vector<Id>& slice) {
  // Predecessors within the slice, those of node id at [first[id], first[id + 1]).
  std::vector<std::uint32_t> first(nodes_.size() + 1, 0);
  const auto for_inner_edges = [&](auto&& visit) {
    for (Id id : slice)
      for (std::size_t e = nodes_[id].first_edge; e < nodes_[id].first_edge + nodes_[id].edges; ++e)
        if (nodes_[edges_[e]].seeds == nodes_[id].seeds && nodes_[edges_[e]].expanded) visit(id, edges_[e]);
  };
  for_inner_edges([&](Id, Id child) { ++first[child + 1]; });
  for (std::size_t k = 1; k < first.size(); ++k) first[k] += first[k - 1];
  std::vector<Id> predecessors(first.back());
  std::vector<std::uint32_t> fill(first.begin(), first.end() - 1);
  for_inner_edges([&](Id id, Id child) { predecessors[fill[child]++] = id; });

  std::deque<Id> queue(slice.begin(), slice.end());
  std::vector<bool> waiting(nodes_.size(), false);
  for (Id id : slice) waiting[id] = true;
  while (!queue.empty()) {
    const Id id = queue.front();
    queue.pop_front();
    waiting[id] = false;
    const Bounds now = derived(id);
    if (now == bounds_[id]) continue;
    bounds_[id] = now;
    for (std::uint32_t p = first[id]; p < first[id + 1]; ++p) {
      if (waiting[predecessors[p]]) continue;
      waiting[predecessors[p]] = true;
      queue.push_back(predecessors[p]);
    }
  }
}

}  // namespace awele
