# A larger microcontroller, emulated
packages=$bare_metal
