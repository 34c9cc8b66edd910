# A microcontroller without exclusive loads, emulated
packages=$bare_metal
