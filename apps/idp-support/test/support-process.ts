import { run } from '@tandem/service-defaults';
import { app } from '../src/app';

// Runs an idp-support in a separate process that tests can kill. The process also ends when its parent process has ended.
void run(app);
