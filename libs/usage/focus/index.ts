export { FOCUS_COLUMNS, FOCUS_VERSION } from './focus-columns.js';
export { ScheduledFocusExport } from './scheduled-focus-export.js';
export { FocusExport } from './focus-export.service.js';
