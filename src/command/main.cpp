// Placeholder: the command follows.
int main() { return 0; }
