function simulink_update(~)
% Nothing more is decided without Simulink.
end
