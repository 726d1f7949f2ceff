import { run } from '@tandem/service-defaults';
import { app } from '../src/app';

// A dispatcher in a process that tests kill. It exits when its parent is gone.
void run(app);
