export { describeRequest, inClientSpan, markAnswer, markFailure, type OutgoingRequest } from './client-span';
export { startRequestSpan } from './request-span';
export * from './trace-context';
export { startTracing, type TracesSampler, type Tracing, TRACES_SAMPLERS, type TracingSettings } from './tracing';
