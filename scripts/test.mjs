import { jest } from './jest.mjs';
import { build, install, installHosts } from './prepare.mjs';

install();
installHosts();
// Tests that start the real app as a process use the build.
build();
process.exit(jest(process.argv.slice(2)));
