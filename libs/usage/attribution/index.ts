export { NO_ATTRIBUTION, OTHER_VALUE, type Attribution } from './attribution.js';
export { AttributionRegister, type AttributedUse, type StoredAttribution } from './attribution-register.js';
export { DIMENSION_BOUNDS, TAG_KEYS } from './dimension-bounds.js';
