#!/usr/bin/env node
// npm links this file when it installs, before the build has made dist/.
import "../dist/main.js";
