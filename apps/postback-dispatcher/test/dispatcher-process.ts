import { run } from '@tandem/service-defaults';
import { app } from '../src/app';

// Runs postback-dispatcher in a separate process, which tests can kill. The process exits when its parent process has ended.
void run(app);
