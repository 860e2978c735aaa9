// Slice files: what is written is read back, and whatever is damaged is refused with a message that names it.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include "awele/index/slice_index.hpp"
#include "awele/store/codec.hpp"
#include "awele/store/database.hpp"
#include "awele/store/slice_file.hpp"
#include "awele/store/state_part.hpp"
#include "awele/support/error.hpp"
#include "support/tiny_database.hpp"

#ifdef __SANITIZE_ADDRESS__
// HDF5 itself loses memory when it meets a damaged object header; that is not what is tested here.
extern "C" const char* __lsan_default_suppressions() { return "leak:libhdf5"; }
#endif

namespace awele {
namespace {

namespace fs = std::filesystem;

/// A directory of its own for each test, removed at its end.
class Store : public testing::Test {
 protected:
  void SetUp() override {
    const auto* info = testing::UnitTest::GetInstance()->current_test_info();
    dir = fs::temp_directory_path() /
          ("awele_store_" + std::string(info->name()) + "_" + std::to_string(::getpid()));
    fs::remove_all(dir);
    fs::create_directories(dir);
  }
  void TearDown() override {
    fs::permissions(dir, fs::perms::owner_all);
    fs::remove_all(dir);
  }

  std::vector<fs::path> files() const {
    std::vector<fs::path> all;
    for (const auto& entry : fs::directory_iterator(dir)) all.push_back(entry.path().filename());
    std::sort(all.begin(), all.end());
    return all;
  }

  fs::path dir;
};

/// Values as they could be: any in range, many of them equal to their neighbours.
std::vector<std::int8_t> some_values(int n, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_int_distribution<int> value(-n, n), again(0, 3);
  std::vector<std::int8_t> values(slice_size(n));
  std::int8_t last = 0;
  for (auto& v : values) {
    if (again(random) == 0) last = static_cast<std::int8_t>(value(random));
    v = last;
  }
  return values;
}

std::vector<char> bytes_of(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

void write_bytes(const fs::path& path, const std::vector<char>& bytes) {
  std::ofstream(path, std::ios::binary).write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

/// Changes one byte in place.
void write_byte(const fs::path& path, std::size_t at, char byte) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  file.seekp(static_cast<std::streamoff>(at));
  file.put(byte);
}

/// The message of the awele::Error that `act` throws; empty when it throws none.
template <typename Act>
std::string message(Act act) {
  try {
    act();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != text.npos; }

std::vector<std::int8_t> read_all(const SliceReader& reader) {
  std::vector<std::int8_t> values(reader.info().positions);
  reader.read(0, values);
  return values;
}

// ------------------------------------------------------------------------------------------- good files

TEST_F(Store, ReadsBackWhatWasWritten) {
  for (int n : {0, 1, 5, 6, 9})
    for (RuleSet rules : kRuleSets) {
      const auto values = some_values(n, static_cast<unsigned>(n));
      test::write_slice(dir, n, rules, values);
      const SliceReader reader(slice_path(dir, n));
      const SliceInfo& info = reader.info();
      EXPECT_EQ(info.seeds, n);
      EXPECT_EQ(info.rules, rules);
      EXPECT_EQ(info.positions, slice_size(n));
      EXPECT_EQ(info.crc, crc32(0, std::span(values)));
      EXPECT_FALSE(info.program_version.empty());
      ASSERT_EQ(info.histogram.size(), static_cast<std::size_t>(2 * n + 1));
      for (int v = -n; v <= n; ++v)
        EXPECT_EQ(info.histogram[static_cast<std::size_t>(v + n)],
                  static_cast<std::uint64_t>(std::count(values.begin(), values.end(), v)));
      EXPECT_EQ(info.count_above() + info.count_zero() + info.count_below(), info.positions);
      EXPECT_EQ(info.count_zero(), static_cast<std::uint64_t>(std::count(values.begin(), values.end(), 0)));
      EXPECT_EQ(reader.file_bytes(), fs::file_size(slice_path(dir, n)));
      EXPECT_EQ(read_all(reader), values);
    }
}

TEST_F(Store, ChunksCoverTheSlice) {
  const int n = 9;
  const auto values = some_values(n, 1);
  test::write_slice(dir, n, RuleSet::awari, values);
  const SliceReader reader(slice_path(dir, n));
  EXPECT_EQ(reader.chunk_size(), kChunk);
  EXPECT_EQ(reader.chunk_count(), 3u);
  std::vector<std::int8_t> chunk, all;
  for (std::uint64_t i = 0; i < reader.chunk_count(); ++i) {
    reader.read_chunk(i, chunk);
    EXPECT_EQ(chunk.size(), reader.chunk_length(i));
    all.insert(all.end(), chunk.begin(), chunk.end());
  }
  EXPECT_EQ(all, values);
}

TEST_F(Store, ReadsAnyRange) {
  const int n = 9;
  const auto values = some_values(n, 2);
  test::write_slice(dir, n, RuleSet::awari, values);
  const SliceReader reader(slice_path(dir, n));
  for (std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1}, kChunk - 1, kChunk, 2 * kChunk - 5})
    for (std::uint64_t length : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{7}, kChunk}) {
      if (first + length > values.size()) continue;
      std::vector<std::int8_t> out(length);
      reader.read(first, out);
      EXPECT_TRUE(std::equal(out.begin(), out.end(), values.begin() + static_cast<std::ptrdiff_t>(first)))
          << first << ' ' << length;
    }
}

TEST_F(Store, SmallSlicesHaveOneShortChunk) {
  EXPECT_EQ(chunk_size(0), 1u);
  EXPECT_EQ(chunk_size(3), slice_size(3));
  EXPECT_EQ(chunk_size(8), kChunk);
  EXPECT_EQ(chunk_size(48), kChunk);
}

TEST_F(Store, NothingButTheSliceIsLeft) {
  test::write_slice(dir, 4, RuleSet::awari, some_values(4, 3));
  EXPECT_EQ(files(), std::vector<fs::path>{"slice_04.h5"});
}

// ------------------------------------------------------------------------------------------ interruption

TEST_F(Store, UnfinishedWriterLeavesNothing) {
  {
    SliceWriter writer(dir, 4, RuleSet::awari);
    std::vector<std::byte> stream;
    Compressor().append(some_values(4, 4), stream);
    writer.write_stream(0, stream, 0);
    EXPECT_FALSE(fs::exists(slice_path(dir, 4)));
  }
  EXPECT_TRUE(files().empty());
}

TEST_F(Store, UnfinishedWriterLeavesTheOldFileAlone) {
  const auto values = some_values(4, 5);
  test::write_slice(dir, 4, RuleSet::awari, values);
  const auto before = bytes_of(slice_path(dir, 4));
  { SliceWriter writer(dir, 4, RuleSet::abapa); }
  EXPECT_EQ(files(), std::vector<fs::path>{"slice_04.h5"});
  EXPECT_EQ(bytes_of(slice_path(dir, 4)), before);
}

/// A temporary file of that name belongs to somebody else, and what a symbolic link points at all the more.
TEST_F(Store, WriterTakesNoFileThatIsThere) {
  write_bytes(dir / "other", {'m', 'i', 'n', 'e'});
  fs::create_symlink(dir / "other", dir / "slice_04.h5.word.tmp");
  const std::string what = message([&] { SliceWriter(dir, 4, RuleSet::awari, "word"); });
  EXPECT_TRUE(contains(what, "slice_04.h5.word.tmp") && contains(what, "exists")) << what;
  EXPECT_EQ(bytes_of(dir / "other").size(), 4u);
  EXPECT_TRUE(fs::is_symlink(dir / "slice_04.h5.word.tmp"));
}

/// The chunks' checksums are those of other values than the attribute's.
TEST_F(Store, DigestsMustAgree) {
  const auto values = some_values(9, 12);
  const std::vector<std::uint16_t> distances(values.size(), 3);
  test::write_slice(dir, 9, RuleSet::awari, values, distances);
  SliceReader(slice_path(dir, 9)).require_digests();
  SliceWriter writer(dir, 4, RuleSet::awari);
  const auto others = some_values(4, 4);
  std::vector<std::byte> stream;
  Compressor().append(others, stream);
  writer.write_stream(0, stream, crc32(0, std::span(others)));
  std::vector<std::uint64_t> histogram(9);
  for (std::int8_t value : others) ++histogram[static_cast<std::size_t>(value + 4)];
  writer.finish(crc32(0, std::span(others)) ^ 1, histogram);
  const SliceReader reader(slice_path(dir, 4));
  const std::string what = message([&] { reader.require_digests(); });
  EXPECT_TRUE(contains(what, slice_path(dir, 4).string()) && contains(what, "damaged")) << what;
}

TEST_F(Store, MissingChunkIsRefused) {
  const int n = 9;
  const auto values = some_values(n, 6);
  {
    SliceWriter writer(dir, n, RuleSet::awari);
    std::vector<std::byte> stream;
    Compressor().append(std::span(values).first(kChunk), stream);
    writer.write_stream(0, stream, crc32(0, std::span(values).first(kChunk)));
    message([&] { writer.finish(0, std::vector<std::uint64_t>(2 * n + 1)); });
  }
  if (!fs::exists(slice_path(dir, n))) return;  // the writer may refuse as well
  const std::string what = message([&] { read_all(SliceReader(slice_path(dir, n))); });
  EXPECT_TRUE(contains(what, slice_path(dir, n).string())) << what;
}

// ------------------------------------------------------------------------------------------------ damage

/// Writes slice n in which `change` may change each chunk's values on their way to the compressor; the
/// CRC-32s stay those of the values given.
template <typename Change>
void write_changed_chunks(const fs::path& dir, int n, const std::vector<std::int8_t>& values, Change change) {
  SliceWriter writer(dir, n, RuleSet::awari);
  std::vector<std::uint64_t> histogram(static_cast<std::size_t>(2 * n + 1));
  for (std::int8_t value : values) ++histogram[static_cast<std::size_t>(value + n)];
  for (std::uint64_t index = 0; index < chunk_count(n); ++index) {
    const auto part = std::span(values).subspan(index * chunk_size(n), chunk_length(n, index));
    std::vector<std::int8_t> piece(part.begin(), part.end());
    piece.resize(chunk_size(n));
    change(index, piece);
    std::vector<std::byte> stream;
    Compressor().append(piece, stream);
    writer.write_stream(index, stream, crc32(0, part));
  }
  writer.finish(crc32(0, std::span(values)), histogram);
}

/// Only the chunk that is wrong is refused, whatever made its stream a valid one.
TEST_F(Store, ChunkWithAnotherChunksValuesIsRefused) {
  const int n = 9;
  const auto values = some_values(n, 20);
  write_changed_chunks(dir, n, values, [&](std::uint64_t index, std::vector<std::int8_t>& piece) {
    if (index == 1) std::copy_n(values.begin(), piece.size(), piece.begin());
  });
  const SliceReader reader(slice_path(dir, n));
  std::vector<std::int8_t> chunk;
  reader.read_chunk(0, chunk);
  EXPECT_TRUE(std::equal(chunk.begin(), chunk.end(), values.begin()));
  const std::string what = message([&] { reader.read_chunk(1, chunk); });
  EXPECT_TRUE(contains(what, slice_path(dir, n).string())) << what;
  EXPECT_TRUE(contains(what, "CRC-32 of chunk 1")) << what;
  reader.read_chunk(2, chunk);
  EXPECT_TRUE(
      std::equal(chunk.begin(), chunk.end(), values.begin() + 2 * static_cast<std::ptrdiff_t>(kChunk)));
}

/// What padding holds does not matter.
TEST_F(Store, PaddingIsNotChecked) {
  const int n = 9;
  const auto values = some_values(n, 21);
  write_changed_chunks(dir, n, values, [&](std::uint64_t index, std::vector<std::int8_t>& piece) {
    if (index == 2) piece.back() = 5;
  });
  EXPECT_EQ(read_all(SliceReader(slice_path(dir, n))), values);
}

/// The changes +1, -2, +1 of neighbouring values leave an Adler-32 as it was.
TEST_F(Store, ChangesThatAnAdler32DoesNotSeeAreRefused) {
  const int n = 9;
  auto values = some_values(n, 22);
  std::fill_n(values.begin() + 1000, 3, std::int8_t{5});
  std::uint32_t before = 0, after = 0;
  write_changed_chunks(dir, n, values, [&](std::uint64_t index, std::vector<std::int8_t>& piece) {
    if (index != 0) return;
    const auto* bytes = reinterpret_cast<const unsigned char*>(piece.data());
    before = static_cast<std::uint32_t>(adler32(1, bytes, static_cast<uInt>(piece.size())));
    piece[1000] += 1;
    piece[1001] -= 2;
    piece[1002] += 1;
    after = static_cast<std::uint32_t>(adler32(1, bytes, static_cast<uInt>(piece.size())));
  });
  EXPECT_EQ(before, after);
  const std::string what = message([&] { read_all(SliceReader(slice_path(dir, n))); });
  EXPECT_TRUE(contains(what, "CRC-32 of chunk 0")) << what;
}

TEST_F(Store, TruncatedFileIsRefused) {
  const fs::path path = slice_path(dir, 9);
  test::write_slice(dir, 9, RuleSet::awari, some_values(9, 7));
  const auto whole = bytes_of(path);
  const std::size_t size = whole.size();
  for (std::size_t length :
       {std::size_t{0}, std::size_t{1}, std::size_t{8}, std::size_t{64}, std::size_t{500}, size / 4, size / 2,
        3 * size / 4, size - 4096, size - 100, size - 1}) {
    write_bytes(path, {whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length)});
    const std::string what = message([&] { read_all(SliceReader(path)); });
    EXPECT_TRUE(contains(what, path.string())) << length << ": " << what;
    EXPECT_TRUE(contains(what, "damaged")) << length << ": " << what;
  }
}

/// With one bit of one byte changed, a file is refused or says exactly what it said before.
void expect_refused_or_same(const fs::path& path, const std::vector<char>& whole, std::size_t at, int bit,
                            const std::vector<std::int8_t>& values, const SliceInfo& info) {
  write_byte(path, at, static_cast<char>(whole[at] ^ (1 << bit)));
  try {
    const SliceReader reader(path);
    const std::vector<std::int8_t> found = read_all(reader);
    EXPECT_EQ(found, values) << "byte " << at << " bit " << bit;
    EXPECT_EQ(reader.info().histogram, info.histogram) << "byte " << at << " bit " << bit;
    EXPECT_EQ(reader.info().rules, info.rules) << "byte " << at << " bit " << bit;
    EXPECT_EQ(reader.info().seeds, info.seeds) << "byte " << at << " bit " << bit;
    EXPECT_EQ(reader.info().crc, info.crc) << "byte " << at << " bit " << bit;
  } catch (const Error& error) {
    EXPECT_TRUE(contains(error.what(), path.string())) << error.what();
  }
  write_byte(path, at, whole[at]);
}

TEST_F(Store, AnyFlippedByteOfASmallFileIsHarmless) {
  const fs::path path = slice_path(dir, 4);
  const auto values = some_values(4, 8);
  test::write_slice(dir, 4, RuleSet::abapa, values);
  const auto whole = bytes_of(path);
  const SliceInfo info = SliceReader(path).info();
  for (std::size_t at = 0; at < whole.size(); ++at)
    expect_refused_or_same(path, whole, at, static_cast<int>(at % 8), values, info);
}

TEST_F(Store, SampledFlipsOfALargerFileAreHarmless) {
  const fs::path path = slice_path(dir, 9);
  const auto values = some_values(9, 9);
  test::write_slice(dir, 9, RuleSet::awari, values);
  const auto whole = bytes_of(path);
  const SliceInfo info = SliceReader(path).info();
  std::mt19937 random(10);
  for (int i = 0; i < 300; ++i) {
    const std::size_t at = std::uniform_int_distribution<std::size_t>(0, whole.size() - 1)(random);
    expect_refused_or_same(path, whole, at, i % 8, values, info);
  }
}

TEST_F(Store, NotHdf5) {
  const fs::path path = slice_path(dir, 3);
  std::ofstream(path) << "This is a text file that happens to have the name of a slice.\n";
  const std::string what = message([&] { Database{dir}; });
  EXPECT_TRUE(contains(what, path.string())) << what;
  EXPECT_TRUE(contains(what, "not an HDF5 file")) << what;
}

TEST_F(Store, MissingFileAndDirectoryInItsPlace) {
  const fs::path path = slice_path(dir, 3);
  EXPECT_TRUE(contains(message([&] { SliceReader{path}; }), path.string()));
  fs::create_directory(path);
  EXPECT_TRUE(contains(message([&] { SliceReader{path}; }), path.string()));
  EXPECT_TRUE(contains(message([&] { Database{dir}; }), path.string()));
}

// ---------------------------------------------------------------------------------------------- database

TEST_F(Store, DatabaseKnowsItsSlices) {
  EXPECT_TRUE(Database(dir).empty());
  EXPECT_EQ(Database(dir).complete_up_to(), -1);
  Database(dir).require_rules(RuleSet::abapa);
  for (int n : {0, 1, 2, 4}) test::write_slice(dir, n, RuleSet::never_starve, some_values(n, 11));
  const Database database(dir);
  EXPECT_EQ(database.slices(), (std::vector<int>{0, 1, 2, 4}));
  EXPECT_EQ(database.complete_up_to(), 2);
  EXPECT_EQ(database.rules(), RuleSet::never_starve);
  EXPECT_TRUE(database.has(4));
  EXPECT_FALSE(database.has(3));
  EXPECT_EQ(database.slice(4).info().seeds, 4);
}

TEST_F(Store, MissingSliceIsNamed) {
  test::write_slice(dir, 0, RuleSet::awari, some_values(0, 12));
  const Database database(dir);
  const std::string what = message([&] { database.slice(3); });
  EXPECT_TRUE(contains(what, "slice_03.h5")) << what;
  EXPECT_TRUE(contains(what, "solve --seeds 3")) << what;
}

TEST_F(Store, MissingDirectoryIsNamed) {
  const std::string what = message([&] { Database{dir / "none"}; });
  EXPECT_TRUE(contains(what, (dir / "none").string())) << what;
}

TEST_F(Store, SliceUnderAnotherName) {
  test::write_slice(dir, 5, RuleSet::awari, some_values(5, 13));
  fs::rename(slice_path(dir, 5), slice_path(dir, 6));
  const std::string what = message([&] { Database{dir}; });
  EXPECT_TRUE(contains(what, "slice_06.h5")) << what;
  EXPECT_TRUE(contains(what, "5 seeds")) << what;
}

TEST_F(Store, TwoRuleSetsInOneDirectory) {
  test::write_slice(dir, 2, RuleSet::awari, some_values(2, 14));
  Database(dir).require_rules(RuleSet::awari);
  const std::string other = message([&] { Database(dir).require_rules(RuleSet::unrestricted); });
  EXPECT_TRUE(contains(other, "slice_02.h5")) << other;
  EXPECT_TRUE(contains(other, "unrestricted")) << other;

  test::write_slice(dir, 3, RuleSet::abapa, some_values(3, 14));
  const std::string what = message([&] { Database{dir}; });
  EXPECT_TRUE(contains(what, "awari")) << what;
  EXPECT_TRUE(contains(what, "abapa")) << what;
}

/// Values as an outcome slice could have them.
std::vector<std::int8_t> clamped(std::vector<std::int8_t> values, int width) {
  for (auto& v : values) v = static_cast<std::int8_t>(std::clamp<int>(v, -width, width));
  return values;
}

TEST_F(Store, FilesSayWhatTheirValuesAre) {
  test::write_slice(dir, 7, RuleSet::awari, some_values(7, 20));
  EXPECT_TRUE(SliceReader(slice_path(dir, 7)).info().scope.exact());
  const auto values = clamped(some_values(7, 20), 4);
  test::write_slice(dir, 7, RuleSet::awari, values, {}, Scope::outcome(10));
  const SliceReader reader(slice_path(dir, 7));
  EXPECT_EQ(reader.info().scope, Scope::outcome(10));
  EXPECT_EQ(reader.info().histogram.size(), 15u);
  EXPECT_EQ(read_all(reader), values);
  Database(dir).require_scope(Scope::outcome(10));
  const std::string what = message([&] { Database(dir).require_scope({}); });
  EXPECT_TRUE(contains(what, "outcomes of games of 10 seeds, not exact values")) << what;
}

TEST_F(Store, ValuesBeyondTheirRange) {
  const auto values = clamped(some_values(7, 20), 5);
  const std::string what =
      message([&] { test::write_slice(dir, 7, RuleSet::awari, values, {}, Scope::outcome(10)); });
  EXPECT_TRUE(contains(what, "beyond 4")) << what;
  EXPECT_TRUE(files().empty());
}

TEST_F(Store, ImpossibleTotals) {
  for (const auto& [rules, total] : {std::pair{RuleSet::awari, 3},
                                     {RuleSet::awari, 49},
                                     {RuleSet::awari, -1},
                                     {RuleSet::majority_slam, 12}}) {
    const std::string what = message([&] {
      test::write_slice(dir, 4, rules, std::vector<std::int8_t>(slice_size(4)), {}, Scope::outcome(total));
    });
    EXPECT_TRUE(contains(what, "games of " + std::to_string(total) + " seeds")) << what;
  }
  EXPECT_TRUE(files().empty());
}

TEST_F(Store, TwoKindsInOneDirectory) {
  test::write_slice(dir, 2, RuleSet::awari, some_values(2, 14));
  test::write_slice(dir, 3, RuleSet::awari, some_values(3, 14), {}, Scope::outcome(48));
  std::string what = message([&] { Database{dir}; });
  EXPECT_TRUE(contains(what, "slice_03.h5 holds outcomes of games of 48 seeds")) << what;
  EXPECT_TRUE(contains(what, "exact values")) << what;
  test::write_slice(dir, 2, RuleSet::awari, some_values(2, 14), {}, Scope::outcome(12));
  what = message([&] { Database{dir}; });
  EXPECT_TRUE(contains(what, "games of 48 seeds")) << what;
  EXPECT_TRUE(contains(what, "games of 12 seeds")) << what;
}

/// For its life a user who may not write everywhere, also when the tests run as root.
class Unprivileged {
 public:
  Unprivileged() : root_(::geteuid() == 0) {
    if (root_) dropped_ = ::setresuid(65534, 65534, 0) == 0;
  }
  ~Unprivileged() {
    if (dropped_ && ::setresuid(0, 0, 0) != 0) std::abort();
  }
  bool ok() const { return !root_ || dropped_; }

 private:
  bool root_, dropped_ = false;
};

TEST_F(Store, ReadOnlyDirectory) {
  fs::permissions(dir, fs::perms::owner_write | fs::perms::group_write | fs::perms::others_write,
                  fs::perm_options::remove);
  const Unprivileged user;
  if (!user.ok()) GTEST_SKIP() << "cannot give up the rights of root here";
  const std::string what = message([&] { SliceWriter(dir, 4, RuleSet::awari); });
  EXPECT_TRUE(contains(what, slice_path(dir, 4).string())) << what;
  EXPECT_TRUE(contains(what, "writable")) << what;
  EXPECT_TRUE(files().empty());
}

TEST_F(Store, UnreadableFile) {
  test::write_slice(dir, 4, RuleSet::awari, some_values(4, 15));
  fs::permissions(slice_path(dir, 4), fs::perms::none);
  const Unprivileged user;
  if (!user.ok()) GTEST_SKIP() << "cannot give up the rights of root here";
  const std::string what = message([&] { Database{dir}; });
  EXPECT_TRUE(contains(what, slice_path(dir, 4).string())) << what;
  EXPECT_TRUE(contains(what, "Permission denied")) << what;
}

TEST_F(Store, AttributesStayInTheRootGroupsHeader) {
  // With distances there are more than HDF5 keeps there of its own accord.
  const auto values = some_values(6, 17);
  test::write_slice(dir, 6, RuleSet::awari, values, std::vector<std::uint16_t>(values.size(), 3));
  EXPECT_EQ(SliceReader(slice_path(dir, 6)).info().positions, values.size());
}

// --------------------------------------------------------------------------------------- parts of a state

class StatePart : public Store {
 protected:
  /// A part of one piece, all of it zero.
  void write(std::uint64_t positions) {
    StatePartWriter writer(path(), positions, PlaneSet{.counts = true});
    PieceStreams streams;
    Compressor compressor;
    for (std::size_t plane = 0; plane < 2; ++plane) {
      const std::vector<std::int8_t> bytes(plane_bytes(plane, positions));
      compressor.append(bytes, streams.stream[plane]);
      streams.crc[plane] = crc32(0, std::span(bytes));
    }
    writer.write(0, streams);
    writer.finish();
  }
  std::string refusal(std::uint64_t positions) {
    return message([&] { StatePartReader(path(), positions, PlaneSet{.counts = true}); });
  }
  fs::path path() const { return dir / "part"; }
};

TEST_F(StatePart, OfAnotherShape) {
  write(1000);
  EXPECT_EQ(refusal(1000), "");
  EXPECT_TRUE(contains(refusal(1002), "/codes has another shape")) << refusal(1002);
  EXPECT_TRUE(
      contains(message([&] { StatePartReader(path(), 1000, PlaneSet{.counts = true, .distances = true}); }),
               "it has no /distances"));
}

TEST_F(StatePart, ThatIsASlice) {
  test::write_slice(dir, 4, RuleSet::awari, some_values(4, 15));
  fs::rename(slice_path(dir, 4), path());
  EXPECT_TRUE(contains(refusal(slice_size(4)), "part is damaged: it has an attribute")) << refusal(1000);
}

TEST_F(StatePart, ThatIsAPipe) {
  ASSERT_EQ(::mkfifo(path().c_str(), 0666), 0);
  EXPECT_TRUE(contains(refusal(1000), "part is not a regular file")) << refusal(1000);
}

// ------------------------------------------------------------------------------------------------- codec

TEST(Codec, RoundTripAndDamage) {
  const auto values = some_values(6, 16);
  std::vector<std::byte> stream;
  Compressor compressor;
  const std::size_t first = compressor.append(values, stream);
  EXPECT_EQ(first, stream.size());
  EXPECT_EQ(compressor.append(values, stream), first);  // the second stream follows the first
  ASSERT_EQ(stream.size(), 2 * first);
  EXPECT_TRUE(std::equal(stream.begin(), stream.begin() + static_cast<std::ptrdiff_t>(first),
                         stream.begin() + static_cast<std::ptrdiff_t>(first)));
  stream.resize(first);

  Decompressor decompressor;
  std::vector<std::int8_t> out(values.size());
  EXPECT_TRUE(decompressor.run(stream, out));
  EXPECT_EQ(out, values);

  std::vector<std::int8_t> longer(values.size() + 1), shorter(values.size() - 1);
  EXPECT_FALSE(decompressor.run(stream, longer));
  EXPECT_FALSE(decompressor.run(stream, shorter));
  EXPECT_FALSE(decompressor.run(std::span(stream).first(first - 1), out));
  for (std::size_t at = 0; at < stream.size(); at += 97) {
    auto damaged = stream;
    damaged[at] ^= std::byte{16};
    EXPECT_FALSE(decompressor.run(damaged, out) && out != values) << at;
  }
}

TEST(Codec, Crc32IsZlibs) {
  const std::string text = "123456789";
  EXPECT_EQ(crc32(0, std::as_bytes(std::span(text))), 0xcbf43926u);
  EXPECT_EQ(
      crc32(crc32(0, std::as_bytes(std::span(text).first(4))), std::as_bytes(std::span(text).subspan(4))),
      0xcbf43926u);
}

TEST(Codec, PiecesJoin) {
  const auto values = some_values(7, 17);
  PieceCrc whole;
  whole.add(values);
  EXPECT_EQ(whole.crc, crc32(0, std::span(values)));
  EXPECT_EQ(whole.bytes, values.size());
  for (std::size_t cut : {std::size_t{0}, std::size_t{1}, std::size_t{1000}, values.size()}) {
    PieceCrc left, right;
    left.add(std::span(values).first(cut));
    right.add(std::span(values).subspan(cut));
    left.append(right);
    EXPECT_EQ(left.crc, whole.crc) << cut;
    EXPECT_EQ(left.bytes, whole.bytes) << cut;
  }
}

}  // namespace
}  // namespace awele
