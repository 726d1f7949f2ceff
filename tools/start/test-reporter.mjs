/** A reporter of Node's test runner: one line of JSON for each test, suites left out. */
export default async function* testReporter(events) {
  for await (const { type, data } of events) {
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    if (data.details?.type === 'suite') continue;
    const skipped = Boolean(data.skip ?? data.todo);
    yield `${JSON.stringify({ file: data.file, title: data.name, passed: type === 'test:pass', skipped })}\n`;
  }
}
