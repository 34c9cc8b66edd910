"""Builds the consumer of tests/package against the package that was just made, and runs it."""
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
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure(build_script_folder=os.path.join(self.build_folder, "find_package"))
        cmake.build()

    def test(self):
        if can_run(self):
            self.run(os.path.join(self.cpp.build.bindir, "core"))
