"""Conan 2: conan create toolchains/package/conan. Gives the headers, as `cmake --install` does, so
find_package(weir COMPONENTS core pacer asio) works; for the last two require Boost besides. With the option
c=True the component c is there too, and Boost is needed to build it."""
import os
import re

from conan import ConanFile
from conan.tools.build import check_min_cppstd
from conan.tools.cmake import CMake, CMakeDeps, CMakeToolchain, cmake_layout
from conan.tools.files import copy, load, rmdir

ROOT = os.path.join("..", "..", "..")


class Weir(ConanFile):
    name = "weir"
    description = "Lock-free rate limiters for C++20"
    license = "MIT"
    topics = ("rate-limiting", "lock-free", "header-only")
    package_type = "header-library"
    settings = "os", "arch", "compiler", "build_type"
    options = {"c": [True, False]}
    default_options = {"c": False}
    no_copy_source = True

    def set_version(self):
        cmake = load(self, os.path.join(self.recipe_folder, ROOT, "CMakeLists.txt"))
        self.version = re.search(r"VERSION ([0-9.]+)\n", cmake).group(1)

    def export_sources(self):
        root = os.path.join(self.recipe_folder, ROOT)
        for pattern in ("CMakeLists.txt", "LICENSE", "include/*", "src/c/*",
                        "toolchains/*.cmake", "toolchains/package/*"):
            copy(self, pattern, root, self.export_sources_folder)

    def configure(self):
        if self.options.c:
            self.package_type = "shared-library"

    def requirements(self):
        if self.options.c:
            self.requires("boost/[>=1.74]", headers=True, libs=False, visible=False, options={"header_only": True})

    def layout(self):
        cmake_layout(self)

    def validate(self):
        check_min_cppstd(self, 20)

    def package_id(self):
        if not self.info.options.c:
            self.info.clear()

    def generate(self):
        toolchain = CMakeToolchain(self)
        for part in ("COMMAND", "TESTS", "BENCH"):
            toolchain.cache_variables["WEIR_BUILD_" + part] = False
        toolchain.cache_variables["WEIR_BUILD_C"] = bool(self.options.c)
        toolchain.generate()
        CMakeDeps(self).generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        CMake(self).install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))  # Conan writes its own

    def package_info(self):
        if not self.options.c:
            self.cpp_info.bindirs = []
            self.cpp_info.libdirs = []
        self.cpp_info.set_property("cmake_find_mode", "none")  # weirConfig.cmake is in the package
        self.cpp_info.builddirs = [os.path.join("lib", "cmake", "weir")]
