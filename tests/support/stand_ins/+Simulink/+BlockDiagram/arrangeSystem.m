function arrangeSystem(~)
% Does nothing: only Simulink can arrange a diagram.
end
