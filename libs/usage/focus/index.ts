export { FOCUS_COLUMNS, FOCUS_VERSION } from './focus-columns.js';
export { FocusExport } from './focus-export.service.js';
