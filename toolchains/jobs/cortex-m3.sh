# A microcontroller, emulated
packages=$bare_metal
