# A Spack recipe, in a repository of its own:
#
#   spack repo add scripts/spack-repo
#   spack install awele
#
# Not tried: written from Spack's documentation on a machine without Spack. It builds the checkout that the recipe lies
# in. (scripts/spack.yaml is an environment with the dependencies alone.)
import pathlib

from spack.package import *


class Awele(CMakePackage):
    """Solver for the board game Awele (Oware), for one core or a cluster, and a library that answers questions about
    the solved positions."""

    git = f"file://{pathlib.Path(__file__).resolve().parents[4]}"
    license("MIT")

    version("main", branch="main")

    variant("solver", default=True, description="Build the program awele; without it libawele_probe alone")

    depends_on("cxx", type="build")
    depends_on("c", type="build")
    depends_on("cmake@3.21:", type="build")
    depends_on("hdf5@1.10:")
    depends_on("zlib-api")
    depends_on("libdeflate")
    depends_on("fmt")
    depends_on("mpi@3.1:", when="+solver")
    depends_on("boost@1.71: +serialization", when="+solver")
    depends_on("cli11", when="+solver", type="build")
    depends_on("nlohmann-json", when="+solver", type="build")

    conflicts("%gcc@:11", msg="GCC 12 or later is known to work")

    def cmake_args(self):
        return [
            self.define("AWELE_PROBE_ONLY", not self.spec.satisfies("+solver")),
            self.define("AWELE_TESTS", False),
            self.define("LIBDEFLATE_ROOT", self.spec["libdeflate"].prefix),
        ]
