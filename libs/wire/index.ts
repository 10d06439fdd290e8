// Wire formats of the providers: requests, answers, streams and refusals. Contains no network access and no SDK.
export { wireRouteAtEnd, wireRouteOf, type WireKind, type WireRoute } from './routes.js';
export { readWireRequest, type WireRequest } from './request/read-request.js';
export { estimateInputTokens, tokensOfBytes } from './request/input-estimate.js';
export { AnswerReader, type AnswerSummary } from './answer/answer-reader.js';
export { uniqueIdOf, usageOfAnswer, type WireUsage } from './answer/usage-of-answer.js';
export { refusalAnswer, type WireRefusal } from './refusal.js';
