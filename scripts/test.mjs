import { jest } from './jest.mjs';
import { build, install, installHosts } from './prepare.mjs';

install();
installHosts();
// Some tests start the real app as a process. They need the build.
build();
process.exit(jest(process.argv.slice(2)));
