export { KnownSubjects } from './known-subjects.js';
export { conditionsOf, ScopeIndex, type Scoped } from './scope-index.js';
export { matchFault, normalMatch, type ScopeMatch } from './scope-match.js';
export { byBytes, NO_PART, partOf, SCOPE_SPLITS, type ScopeSplit } from './split.js';
export { scopeFault, scopeOf, type WireScope } from './wire-scope.js';
export type { SpendSubject } from './subject.js';
