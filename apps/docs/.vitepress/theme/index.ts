// Without the web fonts of the default theme: the site uses those of the system.
import DefaultTheme from 'vitepress/theme-without-fonts';
import './style.css';

export default DefaultTheme;
