import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './layout/styles.css';
import { MantineProvider } from '@mantine/core';
import { Notifications } from '@mantine/notifications';
import { QueryClientProvider } from '@tanstack/react-query';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { queryClient } from './api/query';
import { App } from './app';
import { theme } from './theme';

const root = document.getElementById('root');
if (!root) throw new Error('the page has no root');
createRoot(root).render(
  <StrictMode>
    <QueryClientProvider client={queryClient}>
      <MantineProvider theme={theme} defaultColorScheme="auto">
        {/* At the top, a message would cover the header and the title of a dialog: in a narrow window, a message has the full width. */}
        <Notifications position="bottom-right" />
        <App />
      </MantineProvider>
    </QueryClientProvider>
  </StrictMode>,
);
