"""Builds a consumer of tests/package against the package that was just made, and runs it: the one in C if
the package has libweir."""
import os

from conan import ConanFile
from conan.tools.build import can_run
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy

CONSUMERS = os.path.join("..", "..", "..", "..", "tests", "package")


class Consumer(ConanFile):
    settings = "os", "arch", "compiler", "build_type"

    def requirements(self):
        self.requires(self.tested_reference_str)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        copy(self, "*", os.path.join(self.recipe_folder, CONSUMERS), self.build_folder)
        toolchain = CMakeToolchain(self)
        toolchain.user_presets_path = False
        toolchain.cache_variables["WEIR_VERSION"] = str(self.dependencies["weir"].ref.version)
        toolchain.cache_variables["WEIR_COMPONENTS"] = "core"
        toolchain.cache_variables["WEIR_WAY"] = "find_package"
        toolchain.generate()

    def build(self):
        consumer = "in_c" if self.dependencies["weir"].options.c else "find_package"
        cmake = CMake(self)
        cmake.configure(build_script_folder=os.path.join(self.build_folder, consumer))
        cmake.build()

    def test(self):
        if can_run(self):
            CMake(self).ctest(["--output-on-failure", "--no-tests=error"])
