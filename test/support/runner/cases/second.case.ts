import { findsTheProcessTidy } from './untidy.js';

findsTheProcessTidy();
