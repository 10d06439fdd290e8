export { NO_ATTRIBUTION } from './attribution.js';
export { AttributionRegister, type AttributedUse, type StoredAttribution } from './attribution-register.js';
export { TAG_KEYS } from './dimension-bounds.js';
