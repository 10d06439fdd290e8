// Runs every test. Writes `N passed, N failed` into the file that the first argument names. Passes all other arguments
// to Jest.
import { writeFileSync } from 'node:fs';
import { countTests } from './count-tests.mjs';
import { build, install, installHosts } from './prepare.mjs';

const [countsFile, ...args] = process.argv.slice(2);
install();
installHosts();
build();
const { passed, failed } = countTests(args);
writeFileSync(countsFile, `${passed} passed, ${failed} failed\n`);
process.exit(failed > 0 ? 1 : 0);
