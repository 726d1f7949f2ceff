export { describeRequest, inClientSpan, markAnswer, markFailure, type OutgoingRequest } from './client-span';
export { startRequestSpan } from './request-span';
export * from './trace-context';
export { TRACES_SAMPLERS, type TracesSampler } from './traces-sampler';
export { startTracing, type Tracing, type TracingSettings } from './tracing';
